"""The bodies of the wire, written by `npm run wire-types` from the OpenAPI document. Do not edit."""

from __future__ import annotations

from typing import Any, Literal, TypedDict, Union


class ProblemErrorsItemValue(TypedDict):
    field: str
    problem: Literal["missing", "invalid"]
    message: str


class ProblemCheckpointValue(TypedDict):
    """The checkpoint that replaces the removed events"""

    id: str
    name: str
    seq: int


_ProblemOddOptional = TypedDict("_ProblemOddOptional", {"from": "str"}, total=False)


class _ProblemRequired(_ProblemOddOptional):
    type: str
    title: str
    status: int
    detail: str
    code: Literal["invalid_request", "credential_missing", "token_invalid", "scope_denied", "quota_exceeded", "not_found", "method_not_allowed", "token_superseded", "version_conflict", "illegal_transition", "paused", "replay_gap", "checkpoint_corrupt", "busy", "lease_held", "lease_lost", "external_id_taken", "expired", "gone", "length_required", "precondition_failed", "too_large", "unsupported_media_type", "invalid_fields", "missing_fields", "idempotency_mismatch", "upgrade_required", "rate_limited", "internal", "not_configured", "overloaded"]
    retryable: bool
    nextActions: list[str]


class Problem(_ProblemRequired, total=False):
    sessionId: str
    current: Session | SessionOutline
    missed: list[Event]
    more: bool
    errors: list[ProblemErrorsItemValue]
    at: str
    operation: str
    allowed: list[str] | int
    needed: str
    quota: str
    used: int
    expiresAt: str
    limit: int
    retryAfterMs: int
    holder: LeaseHolder
    setting: str
    floor: int
    checkpoint: ProblemCheckpointValue


class _SessionFieldMetaValueRequired(TypedDict):
    actor: Actor
    at: str


class SessionFieldMetaValue(_SessionFieldMetaValueRequired, total=False):
    confidence: float
    erasedAt: str


class _SessionParentValueRequired(TypedDict):
    sessionId: str
    seq: int
    reason: str


class SessionParentValue(_SessionParentValueRequired, total=False):
    """The session this one was forked from"""

    chain: str
    uploads: int


class SessionTemplateValue(TypedDict):
    """The template it was created from"""

    name: str
    version: int


class _SessionRequired(TypedDict):
    id: str
    title: str | None
    state: State
    paused: bool
    version: int
    head: int
    fields: dict[str, Any]
    fieldMeta: dict[str, SessionFieldMetaValue]
    missingFields: list[str]
    schema: dict[str, Any] | None
    review: Review
    nextStep: NextStep | None
    parent: SessionParentValue | None
    createdAt: str
    updatedAt: str
    expiresAt: str
    createdBy: Actor
    updatedBy: Actor
    participants: list[Participant]


class Session(_SessionRequired, total=False):
    idleTtlMs: int
    owner: str
    externalId: str
    template: SessionTemplateValue
    labels: dict[str, str]
    jurisdiction: str
    locationHint: str


State = Literal["draft", "in_progress", "awaiting_input", "awaiting_upload", "submitted", "needs_review", "approved", "finalized", "rejected", "cancelled", "expired"]


class _ActorRequired(TypedDict):
    kind: Literal["agent", "human", "system", "owner"]
    id: str


class Actor(_ActorRequired, total=False):
    name: str


class ReviewApprovedByItemValueIdentityValue(TypedDict):
    """The identity, if an OpenID provider verified it"""

    issuer: str
    subject: str


class _ReviewApprovedByItemValueRequired(TypedDict):
    participant: str
    actor: Actor
    at: str


class ReviewApprovedByItemValue(_ReviewApprovedByItemValueRequired, total=False):
    comment: str
    identity: ReviewApprovedByItemValueIdentityValue
    version: int


class ReviewSubmittedValue(TypedDict):
    """Who submitted the session"""

    actor: Actor
    at: str


class _ReviewRequestedChangesValueRequired(TypedDict):
    actor: Actor
    at: str
    fields: dict[str, str]


class ReviewRequestedChangesValue(_ReviewRequestedChangesValueRequired, total=False):
    comment: str


class _ReviewRequired(TypedDict):
    required: bool
    approvals: int
    approvedBy: list[ReviewApprovedByItemValue]


class Review(_ReviewRequired, total=False):
    identity: bool
    submitted: ReviewSubmittedValue
    requestedChanges: ReviewRequestedChangesValue
    rejectedBecause: str


class NextStep(TypedDict, total=False):
    step: int
    description: str
    stepsCompleted: list[int]
    body: str


class ParticipantEventsValue(TypedDict, total=False):
    """The types of events it may append and read, if they are narrowed"""

    append: list[str]
    read: list[str]


class _ParticipantRequired(TypedDict):
    id: str
    actor: Actor
    scopes: list[Scope]
    madeBy: str | None
    createdAt: str
    expiresAt: str | None
    revoked: bool
    connected: bool


class Participant(_ParticipantRequired, total=False):
    bound: list[Literal["network", "principal"]]
    ask: list[str]
    show: list[str]
    events: ParticipantEventsValue


Scope = Literal["view", "append", "fill", "review", "handoff", "own"]


class SessionOutline(TypedDict):
    id: str
    state: State
    version: int
    head: int
    updatedAt: str
    updatedBy: Actor
    expiresAt: str


class EventTraceValue(TypedDict):
    """The `traceparent` of the request that wrote the event, if it had one"""

    traceId: str
    parentId: str


class _EventRequired(TypedDict):
    seq: int
    type: str
    at: str
    actor: Actor
    participant: str | None
    state: State
    version: int
    payload: dict[str, Any]


class Event(_EventRequired, total=False):
    trace: EventTraceValue


class LeaseHolder(TypedDict):
    participant: str
    actor: Actor


class CreateSessionReviewValue(TypedDict, total=False):
    required: bool
    approvals: int
    identity: bool


class CreateSession(TypedDict, total=False):
    title: str | None
    actor: ActorClaim
    schema: dict[str, Any] | None
    fields: dict[str, Any]
    confidence: float | dict[str, float]
    ttlMs: int
    idleTtlMs: int
    review: CreateSessionReviewValue
    nextStep: NextStep | None
    policy: Policy | None
    bind: Bind
    labels: dict[str, str]
    externalId: str
    template: str
    jurisdiction: Literal["eu", "us", "fedramp", "fedramp-high"]
    locationHint: Literal["wnam", "enam", "sam", "weur", "eeur", "apac", "apac-ne", "apac-se", "oc", "afr", "me"]


class _ActorClaimRequired(TypedDict):
    id: str


class ActorClaim(_ActorClaimRequired, total=False):
    kind: Literal["agent"]
    name: str


class PolicyStrategiesValue(TypedDict, total=False):
    """The strategy for each reason"""

    rate_limit: Literal["same_session", "new_session", "none"]
    context_exhausted: Literal["same_session", "new_session", "none"]
    crash: Literal["same_session", "new_session", "none"]
    network: Literal["same_session", "new_session", "none"]
    timeout: Literal["same_session", "new_session", "none"]
    user_exit: Literal["same_session", "new_session", "none"]
    completed: Literal["same_session", "new_session", "none"]
    unknown: Literal["same_session", "new_session", "none"]


class PolicyBreakerValue(TypedDict, total=False):
    """This many failed resumes within windowMs suspend automatic resumes; default 3 in 5 min"""

    failures: int
    windowMs: int


class Policy(TypedDict, total=False):
    strategies: PolicyStrategiesValue
    baseMs: int
    maxMs: int
    maxAttempts: int
    jitter: float
    breaker: PolicyBreakerValue
    keepCheckpoints: int
    strictCheckpoints: bool


class _Bind1ValueRequired(TypedDict):
    network: Literal[True] | str


class Bind1Value(_Bind1ValueRequired, total=False):
    """What the token is bound to"""

    principal: Literal[True] | str


class Bind2Value(TypedDict):
    """What the token is bound to"""

    principal: Literal[True] | str


Bind = Union["Bind1Value", "Bind2Value"]


class _LinkBind1ValueRequired(TypedDict):
    network: str


class LinkBind1Value(_LinkBind1ValueRequired, total=False):
    """What the token is bound to"""

    principal: Literal[True] | str


class LinkBind2Value(TypedDict):
    """What the token is bound to"""

    principal: Literal[True] | str


LinkBind = Union["LinkBind1Value", "LinkBind2Value"]


class WriteAnswer(TypedDict):
    session: Session | SessionOutline
    resumeToken: str


class SessionAnswer(TypedDict):
    session: Session


class PurgeAnswer(TypedDict):
    certificate: Certificate


class _CertificateRequired(TypedDict):
    sessionId: str
    seq: int
    chain: str
    at: str
    files: list[str]
    blobs: list[str]
    purged: Literal[True]


class Certificate(_CertificateRequired, total=False):
    keyId: str
    signature: str


class Resume(TypedDict, total=False):
    lastEventSeq: int
    actor: ActorClaim
    auto: bool
    onInvalid: Literal["fail", "fresh"]


class Resumed(TypedDict):
    outcome: Literal["resumed"]
    session: Session | SessionOutline
    resumeToken: str
    events: list[Event]
    head: int
    more: bool


class BegunFreshWarningValueRequestedValue(TypedDict):
    sessionId: str | None
    lastEventSeq: int | None


class BegunFreshWarningValue(TypedDict):
    code: Literal["token_invalid", "expired", "gone"]
    requested: BegunFreshWarningValueRequestedValue
    reason: str


class BegunFresh(TypedDict):
    outcome: Literal["fresh"]
    warning: BegunFreshWarningValue
    session: Session | SessionOutline
    resumeToken: str
    events: list[Event]
    head: int
    more: bool


class _ResumableRequired(TypedDict):
    resumable: bool
    version: int
    head: int
    behindBy: int
    expiresAt: str


class Resumable(_ResumableRequired, total=False):
    reason: str


class Reason(TypedDict, total=False):
    reason: str


class _ProvenAnswerRequired(TypedDict):
    session: Session | SessionOutline
    resumeToken: str


class ProvenAnswer(_ProvenAnswerRequired, total=False):
    proof: Proof


class Proof(TypedDict):
    sessionId: str
    seq: int
    chain: str
    at: str
    keyId: str
    signature: str


class _SteeredAnswerRequired(TypedDict):
    session: Session | SessionOutline


class SteeredAnswer(_SteeredAnswerRequired, total=False):
    resumeToken: str


class _PauseAnswerRequired(TypedDict):
    session: Session | SessionOutline
    already: bool


class PauseAnswer(_PauseAnswerRequired, total=False):
    resumeToken: str


class Extend(TypedDict):
    ttlMs: int


class _SetFields1ValueRequired(TypedDict):
    fields: dict[str, Any]


class SetFields1Value(_SetFields1ValueRequired, total=False):
    confidence: float | dict[str, float]
    title: str | None
    nextStep: NextStep | None
    labels: dict[str, str]


class _SetFields2ValueRequired(TypedDict):
    title: str | None


class SetFields2Value(_SetFields2ValueRequired, total=False):
    confidence: float | dict[str, float]
    nextStep: NextStep | None
    labels: dict[str, str]


class _SetFields3ValueRequired(TypedDict):
    nextStep: NextStep | None


class SetFields3Value(_SetFields3ValueRequired, total=False):
    confidence: float | dict[str, float]
    labels: dict[str, str]


SetFields = Union["SetFields1Value", "SetFields2Value", "SetFields3Value"]


class Validate(TypedDict, total=False):
    fields: dict[str, Any]


class ValidationErrorsItemValue(TypedDict):
    field: str
    problem: Literal["missing", "invalid"]
    message: str


class Validation(TypedDict):
    valid: bool
    errors: list[ValidationErrorsItemValue]
    session: Session


class RequestInput(TypedDict, total=False):
    note: str
    ask: list[str]
    show: list[str]
    question: str
    submitLabel: str
    fields: list[str]
    remindAfterMs: int


class Empty(TypedDict):
    pass


class Comment(TypedDict, total=False):
    comment: str


class RequestChanges(TypedDict, total=False):
    comment: str
    fields: dict[str, str]


class PrivateAnswer(TypedDict):
    private: PrivateValue


class PrivateValue(TypedDict):
    field: str
    value: Any
    salt: str
    hash: str


class EventsPage(TypedDict):
    events: list[Event]
    head: int
    nextAfter: int
    more: bool


class _AppendEventsItemValueRequired(TypedDict):
    type: str


class AppendEventsItemValue(_AppendEventsItemValueRequired, total=False):
    payload: dict[str, Any]


class _AppendRequired(TypedDict):
    events: list[AppendEventsItemValue]


class Append(_AppendRequired, total=False):
    expectedHead: int


class Appended(TypedDict):
    first: int
    last: int
    head: int


class AuditPage(TypedDict):
    events: list[Event]
    head: int
    nextCursor: int
    more: bool


class ProofAnswer(TypedDict):
    proof: Proof


class ReceiptAnswer(TypedDict):
    receipt: Receipt


# A signed document; docs/evidence.md names its members
Receipt = dict[str, Any]


class _CreateHandoff1ValueRequired(TypedDict):
    to: Literal["agent"]
    scopes: list[Literal["view", "append", "fill", "review", "handoff", "own"]]


class CreateHandoff1Value(_CreateHandoff1ValueRequired, total=False):
    actor: ActorClaim
    note: str
    ttlMs: int
    ask: list[str]
    show: list[str]
    events: EventTypes
    bind: Bind
    remindAfterMs: int
    notify: list[str]


class _CreateHandoff2ValueRequired(TypedDict):
    to: Literal["human"]
    scopes: list[Literal["view", "append", "fill", "review", "handoff", "own"]]


class CreateHandoff2Value(_CreateHandoff2ValueRequired, total=False):
    actor: ActorClaim
    note: str
    ttlMs: int
    singleUse: bool
    takeover: bool
    ask: list[str]
    show: list[str]
    question: str
    submitLabel: str
    showTitle: bool
    bind: LinkBind
    remindAfterMs: int
    notify: list[str]


CreateHandoff = Union["CreateHandoff1Value", "CreateHandoff2Value"]


class EventTypes(TypedDict, total=False):
    append: list[str]
    read: list[str]


class _HandoffMadeRequired(TypedDict):
    session: Session | SessionOutline
    resumeToken: str
    handoff: Handoff


class HandoffMade(_HandoffMadeRequired, total=False):
    participantToken: str


class HandoffEventsValue(TypedDict, total=False):
    """The types of events it may append and read, if they are narrowed"""

    append: list[str]
    read: list[str]


class _HandoffRequired(TypedDict):
    id: str
    participant: str
    to: Literal["agent", "human"]
    scopes: list[Scope]
    note: str | None
    madeBy: str | None
    createdAt: str
    expiresAt: str | None
    revoked: bool


class Handoff(_HandoffRequired, total=False):
    bound: list[Literal["network", "principal"]]
    singleUse: bool
    takeover: bool
    openedAt: str | None
    answeredAt: str | None
    declinedAt: str | None
    showTitle: bool
    ask: list[str]
    show: list[str]
    events: HandoffEventsValue
    question: str
    submitLabel: str
    url: str
    code: str
    qrUrl: str


class Reissue(TypedDict, total=False):
    ttlMs: int


class HandoffReissued(TypedDict):
    session: Session | SessionOutline
    resumeToken: str
    handoff: Handoff


class Handoffs(TypedDict):
    handoffs: list[Handoff]


class Revoke1Value(TypedDict):
    participant: str


class Revoke2Value(TypedDict):
    others: Literal[True]


Revoke = Union["Revoke1Value", "Revoke2Value"]


class _RequestUploadRequired(TypedDict):
    name: str
    type: str
    size: int


class RequestUpload(_RequestUploadRequired, total=False):
    field: str
    sha256: str


class UploadAnswer(TypedDict):
    session: Session | SessionOutline
    resumeToken: str
    upload: Upload


class Upload(TypedDict):
    id: str
    field: str | None
    name: str
    type: str
    size: int
    sha256: str | None
    status: Literal["pending", "confirmed", "removed"]
    requestedAt: str


class UploadArrived(TypedDict):
    size: int
    sha256: str


class ConfirmUpload(TypedDict, total=False):
    size: int
    sha256: str


class KeptBlob(TypedDict):
    sha256: str
    size: int


class _StopReportRequired(TypedDict):
    reason: Literal["rate_limit", "context_exhausted", "crash", "network", "timeout", "user_exit", "completed", "unknown"]


class StopReport(_StopReportRequired, total=False):
    attempt: int
    retryAfterMs: int
    retryAfter: str | int
    usage: dict[str, Any]
    exitCode: int
    evidence: str
    confidence: float


class StopAnswer(TypedDict):
    decision: Decision
    seq: int


class Decision(TypedDict):
    strategy: Literal["same_session", "new_session", "none"]
    resumeAt: str | None
    waitMs: int
    attempt: int | None
    why: str


class TakeCheckpoint(TypedDict, total=False):
    name: str
    pinned: bool


class CheckpointAnswer(TypedDict):
    session: Session | SessionOutline
    resumeToken: str
    checkpoint: Checkpoint


class Checkpoint(TypedDict):
    id: str
    name: str
    seq: int
    version: int
    createdAt: str
    automatic: bool
    pinned: bool
    bytes: int
    sha256: str


class Checkpoints(TypedDict):
    checkpoints: list[Checkpoint]


class CheckpointContentCheckpointValue(TypedDict):
    id: str
    name: str
    seq: int
    version: int
    createdAt: str
    automatic: bool
    pinned: bool
    bytes: int
    sha256: str
    document: dict[str, Any]


class CheckpointContent(TypedDict):
    checkpoint: CheckpointContentCheckpointValue


class PinCheckpoint(TypedDict):
    pinned: bool


class Trim(TypedDict):
    checkpoint: str


class Trimmed(TypedDict):
    session: Session | SessionOutline
    resumeToken: str
    floor: int
    trimmed: bool


_ForkOddOptional = TypedDict("_ForkOddOptional", {"from": "str"}, total=False)


class Fork(_ForkOddOptional, total=False):
    reason: str
    finalizeParent: bool
    template: str


class Forked(TypedDict):
    session: Session | SessionOutline
    resumeToken: str
    child: Session | SessionOutline | None
    childToken: str
    prompt: str


class LineageLineageItemValue(TypedDict):
    sessionId: str
    title: str | None
    state: str
    createdAt: str | None
    forkedAt: int | None
    reason: str | None
    children: list[str]
    current: bool


class Lineage(TypedDict):
    lineage: list[LineageLineageItemValue]


class _SubmitJobRequired(TypedDict):
    agent: str


class SubmitJob(_SubmitJobRequired, total=False):
    input: Any
    maxRuntimeMs: int
    closePolicy: Literal["keep", "cancel"]


class JobAnswer(TypedDict):
    job: Job


class JobErrorValue(TypedDict):
    code: str
    message: str
    retryable: bool


class _JobRequired(TypedDict):
    id: str
    agent: str
    status: Literal["pending", "running", "success", "error", "cancelled", "timed_out"]
    createdBy: str
    createdAt: str
    startedAt: str | None
    endedAt: str | None
    attempts: int
    maxRuntimeMs: int | None
    closePolicy: Literal["keep", "cancel"]
    leaseExpiresAt: str | None
    lastEventSeq: int
    lease: dict[str, Any] | None
    leaseUntil: str | None
    traceId: str | None


class Job(_JobRequired, total=False):
    result: Any
    resultId: str
    resultSize: int
    summary: str
    error: JobErrorValue


class Jobs(TypedDict):
    jobs: list[Job]
    nextCursor: int | None


class JobContent(TypedDict):
    job: Job
    input: Any


class CancelJob(TypedDict, total=False):
    reason: str


class Claim(TypedDict, total=False):
    waitMs: int
    leaseMs: int


class Claimed(TypedDict):
    job: Job
    input: Any
    jobToken: str
    leaseMs: int


class _JobEventsEventsItemValueRequired(TypedDict):
    kind: str


class JobEventsEventsItemValue(_JobEventsEventsItemValueRequired, total=False):
    body: dict[str, Any]


class JobEvents(TypedDict):
    events: list[JobEventsEventsItemValue]


class Reported(TypedDict):
    cancelRequested: bool
    leaseExpiresAt: str


class JobHeartbeat(TypedDict):
    pass


class JobResult1Value(TypedDict, total=False):
    result: Any
    resultSize: int
    summary: str


class _JobResult2ValueRequired(TypedDict):
    resultId: str


class JobResult2Value(_JobResult2ValueRequired, total=False):
    resultSize: int
    summary: str


JobResult = Union["JobResult1Value", "JobResult2Value"]


class _JobErrorRequired(TypedDict):
    code: str


class JobError(_JobErrorRequired, total=False):
    message: str
    retryable: bool


class _TakeLeaseRequired(TypedDict):
    ttlMs: int


class TakeLease(_TakeLeaseRequired, total=False):
    number: int


class LeaseAnswer(TypedDict):
    lease: Lease


class Lease(TypedDict):
    name: str
    number: int
    expiresAt: str


class StartOnce(TypedDict, total=False):
    retry: bool


class OnceAnswer(TypedDict):
    once: Once


class _OnceRequired(TypedDict):
    key: str
    status: Literal["started", "done", "unknown"]


class Once(_OnceRequired, total=False):
    result: Any


class EndOnce(TypedDict):
    result: Any


class _AddEndpointRequired(TypedDict):
    url: str
    notices: list[NoticeType]


class AddEndpoint(_AddEndpointRequired, total=False):
    format: Literal["standard", "slack", "discord", "ntfy"]
    labels: dict[str, str]
    secret: str


NoticeType = Literal["session.created", "session.awaiting_input", "session.submitted", "session.needs_review", "session.changes_requested", "session.approved", "session.rejected", "session.finalized", "session.cancelled", "session.expiring", "session.expired", "handoff.created", "handoff.opened", "handoff.answered", "handoff.declined", "handoff.expired", "handoff.reminded", "job.ended", "stop.reported", "resume.due", "resume.suspended", "wait.long", "endpoint.suspended"]


class EndpointAdded(TypedDict):
    session: Session | SessionOutline
    resumeToken: str
    endpoint: NoticeEndpoint
    secret: str


class _NoticeEndpointFailingValueRequired(TypedDict):
    since: str
    at: str


class NoticeEndpointFailingValue(_NoticeEndpointFailingValueRequired, total=False):
    """For an owner's endpoint: the time since which no attempt has succeeded, and the last attempt"""

    status: int
    error: str


class _NoticeEndpointRequired(TypedDict):
    id: str
    origin: str
    notices: list[NoticeType]
    format: Literal["standard", "slack", "discord", "ntfy", "mcp"]
    labels: dict[str, str]
    status: Literal["active", "suspended", "ended"]
    createdAt: str


class NoticeEndpoint(_NoticeEndpointRequired, total=False):
    failing: NoticeEndpointFailingValue


class Endpoints(TypedDict):
    endpoints: list[NoticeEndpoint]


class EndpointShown(TypedDict):
    endpoint: NoticeEndpoint


class ChangeEndpoint(TypedDict, total=False):
    url: str
    notices: list[NoticeType]
    format: Literal["standard", "slack", "discord", "ntfy"]
    labels: dict[str, str]
    status: Literal["active"]


class EndpointChanged(TypedDict):
    session: Session | SessionOutline
    resumeToken: str
    endpoint: NoticeEndpoint


class EndpointRotated(TypedDict):
    session: Session | SessionOutline
    resumeToken: str
    endpoint: NoticeEndpoint
    secret: str


class Deliveries(TypedDict):
    deliveries: list[Delivery]
    nextCursor: int | None


class _DeliveryAttemptsItemValueRequired(TypedDict):
    at: str


class DeliveryAttemptsItemValue(_DeliveryAttemptsItemValueRequired, total=False):
    status: int
    error: str


class _DeliveryRequired(TypedDict):
    id: str
    webhookId: str
    seq: int
    type: str
    status: Literal["pending", "delivered", "given_up"]
    attempts: list[DeliveryAttemptsItemValue]


class Delivery(_DeliveryRequired, total=False):
    nextAttemptAt: str


class ReplayDeliveries1Value(TypedDict):
    since: str


class ReplayDeliveries2Value(TypedDict):
    delivery: str


ReplayDeliveries = Union["ReplayDeliveries1Value", "ReplayDeliveries2Value"]


class SessionListCountsValue(TypedDict):
    total: int
    states: dict[str, int]
    waiting: dict[str, int]


class SessionList(TypedDict):
    sessions: list[ListedSession]
    nextCursor: str | None
    counts: SessionListCountsValue


_ListedSessionWaitingValueOdd = TypedDict("_ListedSessionWaitingValueOdd", {"for": 'Literal["review", "person", "job", "time", "agent"]'}, total=True)


class ListedSessionWaitingValue(_ListedSessionWaitingValueOdd):
    """What the session waits for; null if it has ended"""

    since: str


class _ListedSessionRequired(TypedDict):
    id: str
    title: str | None
    state: Literal["draft", "in_progress", "awaiting_input", "awaiting_upload", "submitted", "needs_review", "approved", "finalized", "rejected", "cancelled", "expired"]
    waiting: ListedSessionWaitingValue | None
    labels: dict[str, str]
    createdAt: str
    changedAt: str
    expiresAt: str
    seq: int


class ListedSession(_ListedSessionRequired, total=False):
    externalId: str
    key: str


class OpenNamedSessionCreate2ValueReviewValue(TypedDict, total=False):
    required: bool
    approvals: int
    identity: bool


class OpenNamedSessionCreate2Value(TypedDict, total=False):
    title: str | None
    actor: ActorClaim
    schema: dict[str, Any] | None
    fields: dict[str, Any]
    confidence: float | dict[str, float]
    ttlMs: int
    idleTtlMs: int
    review: OpenNamedSessionCreate2ValueReviewValue
    nextStep: NextStep | None
    policy: Policy | None
    bind: Bind
    labels: dict[str, str]
    template: str
    jurisdiction: Literal["eu", "us", "fedramp", "fedramp-high"]
    locationHint: Literal["wnam", "enam", "sam", "weur", "eeur", "apac", "apac-ne", "apac-se", "oc", "afr", "me"]


class _OpenNamedSessionRequired(TypedDict):
    externalId: str


class OpenNamedSession(_OpenNamedSessionRequired, total=False):
    create: Literal[True] | OpenNamedSessionCreate2Value
    onEnded: Literal["fail", "fresh"]
    scopes: list[Literal["view", "append", "fill", "review", "handoff", "own"]]
    actor: ActorClaim
    ttlMs: int


class OpenedSessionWarningValue(TypedDict):
    """For `fresh`: the session that had ended"""

    code: Literal["expired"]
    requested: str
    reason: str


class _OpenedSessionRequired(TypedDict):
    outcome: Literal["opened", "created", "fresh"]
    session: Session | SessionOutline
    resumeToken: str


class OpenedSession(_OpenedSessionRequired, total=False):
    warning: OpenedSessionWarningValue


class OpenSession(TypedDict, total=False):
    scopes: list[Literal["view", "append", "fill", "review", "handoff", "own"]]
    actor: ActorClaim
    ttlMs: int


class SessionChanges(TypedDict):
    changes: list[SessionChange]
    nextAfter: int
    head: int
    more: bool


class SessionChange1Value(TypedDict):
    number: int
    session: ListedSession


class SessionChange2ValueSessionValue(TypedDict):
    id: str


class SessionChange2Value(TypedDict):
    number: int
    removed: Literal[True]
    session: SessionChange2ValueSessionValue


SessionChange = Union["SessionChange1Value", "SessionChange2Value"]


class TemplateList(TypedDict):
    templates: list[ListedTemplate]


class _ListedTemplateRequired(TypedDict):
    name: str
    version: int
    createdAt: str
    createdBy: str


class ListedTemplate(_ListedTemplateRequired, total=False):
    retiredAt: str


class _TemplateAnswerTemplateValueRequired(TypedDict):
    name: str
    version: int
    createdAt: str
    createdBy: str
    definition: TemplateDefinition


class TemplateAnswerTemplateValue(_TemplateAnswerTemplateValueRequired, total=False):
    retiredAt: str


class TemplateAnswer(TypedDict):
    template: TemplateAnswerTemplateValue


class _TemplateDefinitionReviewValueRequired(TypedDict):
    required: bool
    approvals: int


class TemplateDefinitionReviewValue(_TemplateDefinitionReviewValueRequired, total=False):
    identity: bool


class TemplateDefinitionLinksValue(TypedDict, total=False):
    """Default texts for links to people"""

    question: str
    submitLabel: str
    note: str
    showTitle: bool


class TemplateDefinition(TypedDict, total=False):
    title: str | None
    schema: dict[str, Any] | None
    review: TemplateDefinitionReviewValue
    ttlMs: int
    idleTtlMs: int
    nextStep: NextStep | None
    policy: Policy | None
    labels: dict[str, str]
    jurisdiction: Literal["eu", "us", "fedramp", "fedramp-high"]
    locationHint: Literal["wnam", "enam", "sam", "weur", "eeur", "apac", "apac-ne", "apac-se", "oc", "afr", "me"]
    links: TemplateDefinitionLinksValue


class OwnerEndpointWithSecret(TypedDict):
    endpoint: NoticeEndpoint
    secret: str


class OwnerEndpoints(TypedDict):
    endpoints: list[NoticeEndpoint]


class OwnerEndpointShown(TypedDict):
    endpoint: NoticeEndpoint


class OwnerDeliveries(TypedDict):
    deliveries: list[Delivery]
    nextCursor: int | None
