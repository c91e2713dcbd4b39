"""The checkpointer against LangGraph's own conformance suite, and by real graphs."""

from __future__ import annotations

import asyncio
import json
import operator
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, TypedDict

import httpx
import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt

from baton import AsyncBaton, Baton, FileTokenStore
from baton.langgraph import BatonSaver


class ThroughBlocking(BatonSaver):
    """The suite calls only asynchronous methods; here each calls its blocking counterpart."""

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return self.get_tuple(config)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        for found in self.list(config, filter=filter, before=before, limit=limit):
            yield found

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        return self.put(config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        self.put_writes(config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        self.delete_thread(thread_id)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        self.delete_for_runs(run_ids)

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        self.copy_thread(source_thread_id, target_thread_id)

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        self.prune(thread_ids, strategy=strategy)


MAKE: dict[str, Callable[[str], BatonSaver]] = {
    "an AsyncBaton": lambda url: BatonSaver(baton=AsyncBaton.connect(url)),
    "a Baton in threads": lambda url: BatonSaver(baton=Baton.connect(url)),
    "the blocking methods": lambda url: ThroughBlocking(baton=Baton.connect(url)),
}


@pytest.mark.parametrize("kind", MAKE)
def test_the_conformance_suite_passes_with_every_capability(kind: str, server: str) -> None:
    async def factory() -> AsyncGenerator[BatonSaver, None]:
        yield MAKE[kind](server)

    report = asyncio.run(validate(checkpointer_test(name=kind)(factory)))
    failures = {name: result.failures for name, result in report.results.items()}
    assert all(result.passed for result in report.results.values()), failures
    assert len(report.results) == 8
    assert sum(result.tests_passed for result in report.results.values()) > 50


class State(TypedDict):
    notes: Annotated[list[str], operator.add]
    decision: str


def research(state: State) -> dict[str, Any]:
    return {"notes": ["found it"]}


def ask(state: State) -> dict[str, Any]:
    return {"decision": interrupt({"question": "Publish?", "notes": state["notes"]})}


def graph_on(saver: BatonSaver) -> Any:
    builder = StateGraph(State)
    builder.add_node("research", research)
    builder.add_node("ask", ask)
    builder.add_edge(START, "research")
    builder.add_edge("research", "ask")
    builder.add_edge("ask", END)
    return builder.compile(checkpointer=saver)


def test_a_graph_stopped_in_one_process_goes_on_in_another(server: str, tmp_path: Path) -> None:
    thread: RunnableConfig = {"configurable": {"thread_id": "42"}}
    first = graph_on(BatonSaver(baton=Baton.connect(server, store=FileTokenStore(tmp_path))))
    stopped = first.invoke({"notes": ["begin"], "decision": ""}, thread)
    assert stopped["__interrupt__"][0].value["question"] == "Publish?"

    other = BatonSaver(baton=Baton.connect(server, store=FileTokenStore(tmp_path)))
    ended = graph_on(other).invoke(Command(resume="yes"), thread)
    assert ended == {"notes": ["begin", "found it"], "decision": "yes"}
    seen = graph_on(BatonSaver(baton=Baton.connect(server, store=FileTokenStore(tmp_path))))
    assert seen.get_state(thread).values["decision"] == "yes"


class Long(TypedDict):
    ballast: str
    step: int


def step(state: Long) -> dict[str, Any]:
    return {"step": state["step"] + 1}


def test_a_thread_grows_by_what_changed(server: str) -> None:
    sent = 0

    def count(request: httpx.Request) -> None:
        nonlocal sent
        sent += len(request.content)

    transport = httpx.HTTPTransport()
    baton = Baton.connect(server, transport=transport)
    baton._driver._http.event_hooks["request"].append(count)
    builder = StateGraph(Long)
    builder.add_node("step", step)
    builder.add_edge(START, "step")
    builder.add_conditional_edges("step", lambda state: END if state["step"] >= 100 else "step")
    graph = builder.compile(checkpointer=BatonSaver(baton=baton))
    thread: RunnableConfig = {"configurable": {"thread_id": "long"}, "recursion_limit": 200}
    ballast = "x" * 500_000
    ended = graph.invoke({"ballast": ballast, "step": 0}, thread)
    assert ended["step"] == 100
    assert graph.get_state(thread).values["ballast"] == ballast
    # The ballast is sent a few times (input, write, channel), not once per step.
    assert sent < 5 * len(ballast)
    assert len(list(graph.get_state_history(thread))) == 102


def test_a_blocking_call_with_an_asyncio_client_says_what_to_do(server: str) -> None:
    saver = BatonSaver(baton=AsyncBaton.connect(server))
    with pytest.raises(TypeError, match="Give this adapter a Baton"):
        saver.get_tuple({"configurable": {"thread_id": "1"}})


def test_a_namespace_that_is_none_is_refused(server: str) -> None:
    with pytest.raises(ValueError, match="1 to 64 letters"):
        BatonSaver(baton=Baton.connect(server), namespace="a/b")


def test_what_is_kept_can_be_read_by_anybody_with_the_log(server: str) -> None:
    baton = Baton.connect(server)
    graph_on(BatonSaver(baton=baton, namespace="read")).invoke(
        {"notes": ["begin"], "decision": ""}, {"configurable": {"thread_id": "7"}}
    )
    session = baton.attach("read/7")
    types = {event["type"] for event in session.page(after=0)["events"]}
    assert {"langgraph.checkpoint", "langgraph.channel", "langgraph.writes"} <= types
    assert json.dumps(session.get()["title"]) == '"read/7"'
