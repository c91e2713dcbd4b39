-- object -agents/0268947aafd2db521c5f5910889432a35a6af74c59ef4e6d79b8c8d61ea89848.sqlite
CREATE TABLE offers (
    id INTEGER PRIMARY KEY,
    object_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    attempt INTEGER NOT NULL
  );
INSERT INTO offers (id, object_id, number, attempt)
VALUES (1, '7340a479a3c9902314e1131ee0423f5a6a94ff4bd08d7fae18b5bfb8fa347e1f', 3, 0);
-- object -agents/4f8b842c779cc1a4576c0ddddc12aa2b34373e6a89d57fad280697f99f287c89.sqlite
CREATE TABLE offers (
    id INTEGER PRIMARY KEY,
    object_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    attempt INTEGER NOT NULL
  );
-- object -agents/d603c32b634655db769a872494c1ea31e5700cb54e3e8a4546bd5938404c2392.sqlite
CREATE TABLE offers (
    id INTEGER PRIMARY KEY,
    object_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    attempt INTEGER NOT NULL
  );
-- object -handoffs/857972d5b5c1595fdf416e3d7dc478a4c9e183d74bb4952068e031625a7134e9.sqlite
CREATE TABLE codes (
    code TEXT PRIMARY KEY,
    object_id TEXT NOT NULL,
    participant INTEGER NOT NULL,
    keep_until INTEGER NOT NULL
  ) WITHOUT ROWID;
INSERT INTO codes (code, object_id, participant, keep_until)
VALUES ('79glGJ29gCP2MDYo1S5xW7i5SE0-C_qE7mOclYDvvv0', '7340a479a3c9902314e1131ee0423f5a6a94ff4bd08d7fae18b5bfb8fa347e1f', 4, 6525207547066);
-- object /0570998866ef20b55dca3b43862e2200dc8c766887c84ee468bcfba53c3dd540.sqlite
CREATE TABLE commits (
      first_seq INTEGER PRIMARY KEY,
      last_seq INTEGER NOT NULL,
      at INTEGER NOT NULL,
      participant INTEGER,
      actor TEXT NOT NULL,
      state TEXT NOT NULL,
      version INTEGER NOT NULL,
      trimmable INTEGER NOT NULL,
      job_seq INTEGER NOT NULL DEFAULT 0,
      issued TEXT,
      append_key TEXT,
      append_request TEXT,
      events TEXT NOT NULL
    );
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (1, 2, 1794807548912, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'draft', 1, 0, 0, '[[1,"SdmeXWn4-QKNyshnwxFsekgt10r5OJNH35sUkE-hxd4"]]', NULL, NULL, '{"seq":1,"type":"session.created","at":"2026-11-16T05:39:08.912Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"title":"Released: approved","schema":{"type":"object","properties":{"city":{"type":"string","title":"City"},"count":{"type":"integer","minimum":0},"scan":{"type":"object","format":"file"}},"required":["city"]},"review":{"required":true,"approvals":1},"nextStep":null,"expiresAt":"2126-10-23T05:39:08.912Z","retentionMs":1576800000000,"policy":null,"parent":null}}
{"seq":2,"type":"token.issued","at":"2026-11-16T05:39:08.912Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"participant":"par_1","tokenHash":"SdmeXWn4-QKN"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (3, 3, 1794807548966, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'in_progress', 3, 0, 0, '[[1,"a7EFqTdZJLXulskVwD1PiMO0q-8P0u5ehaqozg4bJlM"]]', NULL, NULL, '{"seq":3,"type":"fields.updated","at":"2026-11-16T05:39:08.966Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"in_progress","version":3,"payload":{"changes":[{"field":"city","to":"Porto"}],"confidence":{"city":0.5}}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (4, 4, 1794807548998, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'needs_review', 4, 0, 0, '[[1,"1R56kEvuGer5ok2UPNsBHxrH6m4fncQa-Op-kQFtZk8"]]', NULL, NULL, '{"seq":4,"type":"session.submitted","at":"2026-11-16T05:39:08.998Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"needs_review","version":4,"payload":{}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (5, 6, 1794807549031, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'needs_review', 4, 0, 0, '[[1,"sooTs2kYQIwTD2wa1RKn3EZdWtN6SnlhjFuIr-HP4WA"],[2,"SmJoEc4XKErOrAbCiSTEf900Vv46p63c2bTPb_E9WHc"]]', NULL, NULL, '{"seq":5,"type":"handoff.created","at":"2026-11-16T05:39:09.031Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"needs_review","version":4,"payload":{"handoffId":"hnd_2","participant":"par_2","madeBy":"par_1","to":"agent","scopes":["view","review"],"note":"Yours"}}
{"seq":6,"type":"token.issued","at":"2026-11-16T05:39:09.031Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"needs_review","version":4,"payload":{"participant":"par_2","tokenHash":"SmJoEc4XKErO"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (7, 7, 1794807549067, 2, '{"kind":"agent","id":"agent-2"}', 'approved', 7, 0, 0, '[[2,"_tJt9bu6t9gBO72or8AMoV-8V0N0qww95GeCzL2tG-E"]]', NULL, NULL, '{"seq":7,"type":"review.approved","at":"2026-11-16T05:39:09.067Z","actor":{"kind":"agent","id":"agent-2"},"state":"approved","version":7,"payload":{"participant":"par_2","given":1,"needed":1,"comment":"Good"}}');
CREATE TABLE session (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      schema_version INTEGER NOT NULL,
      state TEXT NOT NULL,
      paused INTEGER NOT NULL,
      version INTEGER NOT NULL,
      title TEXT,
      fields TEXT NOT NULL,
      field_meta TEXT NOT NULL,
      review TEXT NOT NULL,
      next_step TEXT,
      schema TEXT,
      created_at TEXT NOT NULL,
      created_by TEXT NOT NULL,
      updated_at TEXT NOT NULL,
      updated_by TEXT NOT NULL,
      expires_at INTEGER NOT NULL,
      retention_ms INTEGER NOT NULL,
      policy TEXT,
      parent TEXT,
      ended_at INTEGER,
      revoked TEXT NOT NULL,
      automation TEXT NOT NULL,
      children TEXT NOT NULL,
      checkpoints_made INTEGER NOT NULL,
      trimmed TEXT,
      participants TEXT NOT NULL,
      plan TEXT,
      create_request TEXT,
      create_sealed BLOB
    );
INSERT INTO session (id, schema_version, state, paused, version, title, fields, field_meta, review, next_step, schema, created_at, created_by, updated_at, updated_by, expires_at, retention_ms, policy, parent, ended_at, revoked, automation, children, checkpoints_made, trimmed, participants, plan, create_request, create_sealed)
VALUES (1, 1, 'approved', 0, 7, 'Released: approved', '{"city":"Porto"}', '{"city":{"actor":{"kind":"agent","id":"maker","name":"Maker"},"at":"2026-11-16T05:39:08.966Z","confidence":0.5}}', '{"required":true,"approvals":1,"approvedBy":[{"participant":"par_2","actor":{"kind":"agent","id":"agent-2"},"at":"2026-11-16T05:39:09.067Z","comment":"Good"}]}', NULL, '{"type":"object","properties":{"city":{"type":"string","title":"City"},"count":{"type":"integer","minimum":0},"scan":{"type":"object","format":"file"}},"required":["city"]}', '2026-11-16T05:39:08.912Z', '{"kind":"agent","id":"maker","name":"Maker"}', '2026-11-16T05:39:09.067Z', '{"kind":"agent","id":"agent-2"}', 4948407548912, 1576800000000, NULL, NULL, NULL, '[]', '{"resumeAt":null,"attempt":null,"failures":[],"suspended":false,"lastStopSeq":null}', '[]', 0, NULL, '[{"number":1,"actor":{"kind":"agent","id":"maker","name":"Maker"},"scopes":["view","append","fill","handoff","own"],"madeBy":null,"note":null,"createdAt":1794807548912,"expiresAt":null,"tokenSeq":5,"tokenHash":"sooTs2kYQIwTD2wa1RKn3EZdWtN6SnlhjFuIr-HP4WA","fenceSeq":1,"seenVersion":4,"cursor":2,"filled":true,"last":{"consumed":"1R56kEvuGer5ok2UPNsBHxrH6m4fncQa-Op-kQFtZk8","request":null,"outcome":{"participant":2,"issuedSeq":5},"sealed":null}},{"number":2,"actor":{"kind":"agent","id":"agent-2"},"scopes":["view","review"],"madeBy":1,"note":"Yours","createdAt":1794807549031,"expiresAt":null,"tokenSeq":7,"tokenHash":"_tJt9bu6t9gBO72or8AMoV-8V0N0qww95GeCzL2tG-E","fenceSeq":5,"seenVersion":7,"cursor":6,"filled":false,"last":{"consumed":"SmJoEc4XKErOrAbCiSTEf900Vv46p63c2bTPb_E9WHc","request":null,"outcome":{"issuedSeq":7},"sealed":null}}]', NULL, NULL, NULL);
-- object /1093991eb17ca7e1f5edb5af358350df51aa8af6d1edb05f184fa41e7adc4bac.sqlite
CREATE TABLE commits (
      first_seq INTEGER PRIMARY KEY,
      last_seq INTEGER NOT NULL,
      at INTEGER NOT NULL,
      participant INTEGER,
      actor TEXT NOT NULL,
      state TEXT NOT NULL,
      version INTEGER NOT NULL,
      trimmable INTEGER NOT NULL,
      job_seq INTEGER NOT NULL DEFAULT 0,
      issued TEXT,
      append_key TEXT,
      append_request TEXT,
      events TEXT NOT NULL
    );
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (1, 2, 1794807548268, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'draft', 1, 0, 0, '[[1,"vO-Ou9vic4Tb7d_w8MJZGjIwa2R0VKpJmRBOG6_YhuU"]]', NULL, NULL, '{"seq":1,"type":"session.created","at":"2026-11-16T05:39:08.268Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"title":"Released: awaiting_input","schema":{"type":"object","properties":{"city":{"type":"string","title":"City"},"count":{"type":"integer","minimum":0},"scan":{"type":"object","format":"file"}},"required":["city"]},"review":{"required":false,"approvals":1},"nextStep":null,"expiresAt":"2126-10-23T05:39:08.268Z","retentionMs":1576800000000,"policy":null,"parent":null}}
{"seq":2,"type":"token.issued","at":"2026-11-16T05:39:08.268Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"participant":"par_1","tokenHash":"vO-Ou9vic4Tb"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (3, 3, 1794807548305, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'awaiting_input', 3, 0, 0, '[[1,"SIwZ4MmNkkfI0FGwis6Qhm-ujlU5jmKB9XzllxmoNMQ"]]', NULL, NULL, '{"seq":3,"type":"session.input_requested","at":"2026-11-16T05:39:08.305Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"awaiting_input","version":3,"payload":{"note":"Which city?","fields":["city"]}}');
CREATE TABLE session (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      schema_version INTEGER NOT NULL,
      state TEXT NOT NULL,
      paused INTEGER NOT NULL,
      version INTEGER NOT NULL,
      title TEXT,
      fields TEXT NOT NULL,
      field_meta TEXT NOT NULL,
      review TEXT NOT NULL,
      next_step TEXT,
      schema TEXT,
      created_at TEXT NOT NULL,
      created_by TEXT NOT NULL,
      updated_at TEXT NOT NULL,
      updated_by TEXT NOT NULL,
      expires_at INTEGER NOT NULL,
      retention_ms INTEGER NOT NULL,
      policy TEXT,
      parent TEXT,
      ended_at INTEGER,
      revoked TEXT NOT NULL,
      automation TEXT NOT NULL,
      children TEXT NOT NULL,
      checkpoints_made INTEGER NOT NULL,
      trimmed TEXT,
      participants TEXT NOT NULL,
      plan TEXT,
      create_request TEXT,
      create_sealed BLOB
    );
INSERT INTO session (id, schema_version, state, paused, version, title, fields, field_meta, review, next_step, schema, created_at, created_by, updated_at, updated_by, expires_at, retention_ms, policy, parent, ended_at, revoked, automation, children, checkpoints_made, trimmed, participants, plan, create_request, create_sealed)
VALUES (1, 1, 'awaiting_input', 0, 3, 'Released: awaiting_input', '{}', '{}', '{"required":false,"approvals":1,"approvedBy":[]}', NULL, '{"type":"object","properties":{"city":{"type":"string","title":"City"},"count":{"type":"integer","minimum":0},"scan":{"type":"object","format":"file"}},"required":["city"]}', '2026-11-16T05:39:08.268Z', '{"kind":"agent","id":"maker","name":"Maker"}', '2026-11-16T05:39:08.305Z', '{"kind":"agent","id":"maker","name":"Maker"}', 4948407548268, 1576800000000, NULL, NULL, NULL, '[]', '{"resumeAt":null,"attempt":null,"failures":[],"suspended":false,"lastStopSeq":null}', '[]', 0, NULL, '[{"number":1,"actor":{"kind":"agent","id":"maker","name":"Maker"},"scopes":["view","append","fill","handoff","own"],"madeBy":null,"note":null,"createdAt":1794807548268,"expiresAt":null,"tokenSeq":3,"tokenHash":"SIwZ4MmNkkfI0FGwis6Qhm-ujlU5jmKB9XzllxmoNMQ","fenceSeq":1,"seenVersion":3,"cursor":2,"filled":true,"last":{"consumed":"vO-Ou9vic4Tb7d_w8MJZGjIwa2R0VKpJmRBOG6_YhuU","request":null,"outcome":{"issuedSeq":3},"sealed":null}}]', NULL, NULL, NULL);
-- object /1c4cbfe4b42187261c082c6e9c1a198fbb8da86022e7277ab1288d283e4d49e5.sqlite
CREATE TABLE commits (
      first_seq INTEGER PRIMARY KEY,
      last_seq INTEGER NOT NULL,
      at INTEGER NOT NULL,
      participant INTEGER,
      actor TEXT NOT NULL,
      state TEXT NOT NULL,
      version INTEGER NOT NULL,
      trimmable INTEGER NOT NULL,
      job_seq INTEGER NOT NULL DEFAULT 0,
      issued TEXT,
      append_key TEXT,
      append_request TEXT,
      events TEXT NOT NULL
    );
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (1, 2, 1794807546789, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'draft', 1, 0, 0, '[[1,"p-2SsuYFeA_zcHiFsoFHerlg9PCc5hGJK2V3pePi9IE"]]', NULL, NULL, '{"seq":1,"type":"session.created","at":"2026-11-16T05:39:06.789Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"title":"Released: draft","schema":null,"review":{"required":false,"approvals":1},"nextStep":null,"expiresAt":"2126-10-23T05:39:06.789Z","retentionMs":1576800000000,"policy":{"maxAttempts":3,"keepCheckpoints":4},"parent":null}}
{"seq":2,"type":"token.issued","at":"2026-11-16T05:39:06.789Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"participant":"par_1","tokenHash":"feuzBuVRC3Sf"}}');
CREATE TABLE session (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      schema_version INTEGER NOT NULL,
      state TEXT NOT NULL,
      paused INTEGER NOT NULL,
      version INTEGER NOT NULL,
      title TEXT,
      fields TEXT NOT NULL,
      field_meta TEXT NOT NULL,
      review TEXT NOT NULL,
      next_step TEXT,
      schema TEXT,
      created_at TEXT NOT NULL,
      created_by TEXT NOT NULL,
      updated_at TEXT NOT NULL,
      updated_by TEXT NOT NULL,
      expires_at INTEGER NOT NULL,
      retention_ms INTEGER NOT NULL,
      policy TEXT,
      parent TEXT,
      ended_at INTEGER,
      revoked TEXT NOT NULL,
      automation TEXT NOT NULL,
      children TEXT NOT NULL,
      checkpoints_made INTEGER NOT NULL,
      trimmed TEXT,
      participants TEXT NOT NULL,
      plan TEXT,
      create_request TEXT,
      create_sealed BLOB
    );
INSERT INTO session (id, schema_version, state, paused, version, title, fields, field_meta, review, next_step, schema, created_at, created_by, updated_at, updated_by, expires_at, retention_ms, policy, parent, ended_at, revoked, automation, children, checkpoints_made, trimmed, participants, plan, create_request, create_sealed)
VALUES (1, 1, 'draft', 0, 1, 'Released: draft', '{}', '{}', '{"required":false,"approvals":1,"approvedBy":[]}', NULL, NULL, '2026-11-16T05:39:06.789Z', '{"kind":"agent","id":"maker","name":"Maker"}', '2026-11-16T05:39:06.789Z', '{"kind":"agent","id":"maker","name":"Maker"}', 4948407546789, 1576800000000, '{"maxAttempts":3,"keepCheckpoints":4}', NULL, NULL, '[]', '{"resumeAt":null,"attempt":null,"failures":[],"suspended":false,"lastStopSeq":null}', '[]', 0, NULL, '[{"number":1,"actor":{"kind":"agent","id":"maker","name":"Maker"},"scopes":["view","append","fill","handoff","own"],"madeBy":null,"note":null,"createdAt":1794807546789,"expiresAt":null,"tokenSeq":1,"tokenHash":"p-2SsuYFeA_zcHiFsoFHerlg9PCc5hGJK2V3pePi9IE","fenceSeq":1,"seenVersion":1,"cursor":2,"filled":true,"last":null}]', NULL, NULL, NULL);
-- object /21094f76db5c4feb582e8115888084f7c8421ccff222ae746503877f4fb3b95a.sqlite
CREATE TABLE commits (
      first_seq INTEGER PRIMARY KEY,
      last_seq INTEGER NOT NULL,
      at INTEGER NOT NULL,
      participant INTEGER,
      actor TEXT NOT NULL,
      state TEXT NOT NULL,
      version INTEGER NOT NULL,
      trimmable INTEGER NOT NULL,
      job_seq INTEGER NOT NULL DEFAULT 0,
      issued TEXT,
      append_key TEXT,
      append_request TEXT,
      events TEXT NOT NULL
    );
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (1, 2, 1794807549577, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'draft', 1, 0, 0, '[[1,"DbsCGWFPd4A0kIzmWzeOARN_6W3ZPm-sevUIswnWyfU"]]', NULL, NULL, '{"seq":1,"type":"session.created","at":"2026-11-16T05:39:09.577Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"title":"Released: expired","schema":null,"review":{"required":false,"approvals":1},"nextStep":null,"expiresAt":"2026-11-16T05:39:10.577Z","retentionMs":1576800000000,"policy":null,"parent":null}}
{"seq":2,"type":"token.issued","at":"2026-11-16T05:39:09.577Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"participant":"par_1","tokenHash":"cCyPHfqGACcQ"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (3, 4, 1794807550579, NULL, '{"kind":"system","id":"baton"}', 'expired', 3, 0, 0, NULL, NULL, NULL, '{"seq":3,"type":"session.expired","at":"2026-11-16T05:39:10.579Z","actor":{"kind":"system","id":"baton"},"state":"expired","version":3,"payload":{"expiresAt":"2026-11-16T05:39:10.577Z"}}
{"seq":4,"type":"token.expired","at":"2026-11-16T05:39:10.579Z","actor":{"kind":"system","id":"baton"},"state":"expired","version":3,"payload":{"participant":"par_1","tokenHash":"cCyPHfqGACcQ"}}');
CREATE TABLE session (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      schema_version INTEGER NOT NULL,
      state TEXT NOT NULL,
      paused INTEGER NOT NULL,
      version INTEGER NOT NULL,
      title TEXT,
      fields TEXT NOT NULL,
      field_meta TEXT NOT NULL,
      review TEXT NOT NULL,
      next_step TEXT,
      schema TEXT,
      created_at TEXT NOT NULL,
      created_by TEXT NOT NULL,
      updated_at TEXT NOT NULL,
      updated_by TEXT NOT NULL,
      expires_at INTEGER NOT NULL,
      retention_ms INTEGER NOT NULL,
      policy TEXT,
      parent TEXT,
      ended_at INTEGER,
      revoked TEXT NOT NULL,
      automation TEXT NOT NULL,
      children TEXT NOT NULL,
      checkpoints_made INTEGER NOT NULL,
      trimmed TEXT,
      participants TEXT NOT NULL,
      plan TEXT,
      create_request TEXT,
      create_sealed BLOB
    );
INSERT INTO session (id, schema_version, state, paused, version, title, fields, field_meta, review, next_step, schema, created_at, created_by, updated_at, updated_by, expires_at, retention_ms, policy, parent, ended_at, revoked, automation, children, checkpoints_made, trimmed, participants, plan, create_request, create_sealed)
VALUES (1, 1, 'expired', 0, 3, 'Released: expired', '{}', '{}', '{"required":false,"approvals":1,"approvedBy":[]}', NULL, NULL, '2026-11-16T05:39:09.577Z', '{"kind":"agent","id":"maker","name":"Maker"}', '2026-11-16T05:39:10.579Z', '{"kind":"system","id":"baton"}', 1794807550577, 1576800000000, NULL, NULL, NULL, '[]', '{"resumeAt":null,"attempt":null,"failures":[],"suspended":false,"lastStopSeq":null}', '[]', 0, NULL, '[{"number":1,"actor":{"kind":"agent","id":"maker","name":"Maker"},"scopes":["view","append","fill","handoff","own"],"madeBy":null,"note":null,"createdAt":1794807549577,"expiresAt":null,"tokenSeq":1,"tokenHash":"DbsCGWFPd4A0kIzmWzeOARN_6W3ZPm-sevUIswnWyfU","fenceSeq":1,"seenVersion":1,"cursor":2,"filled":true,"last":null}]', NULL, NULL, NULL);
-- object /35b3260c9d4d214e3158ba15244d6f9da8e04768ad841a68ea624d9af56b22ab.sqlite
CREATE TABLE commits (
      first_seq INTEGER PRIMARY KEY,
      last_seq INTEGER NOT NULL,
      at INTEGER NOT NULL,
      participant INTEGER,
      actor TEXT NOT NULL,
      state TEXT NOT NULL,
      version INTEGER NOT NULL,
      trimmable INTEGER NOT NULL,
      job_seq INTEGER NOT NULL DEFAULT 0,
      issued TEXT,
      append_key TEXT,
      append_request TEXT,
      events TEXT NOT NULL
    );
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (1, 2, 1794807547623, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'in_progress', 1, 0, 0, '[[1,"A_FBJpIlvmlALp4Ub1B5xEEwd3TFFIIKyFBgJQOkFDQ"]]', NULL, NULL, '{"seq":1,"type":"session.created","at":"2026-11-16T05:39:07.623Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"in_progress","version":1,"payload":{"title":"Renamed","schema":{"type":"object","properties":{"city":{"type":"string","title":"City"},"count":{"type":"integer","minimum":0},"scan":{"type":"object","format":"file"}},"required":["city"]},"review":{"required":false,"approvals":1},"nextStep":{"description":"Go on","stepsCompleted":[1,2],"body":"# Next"},"expiresAt":"2126-10-23T05:39:07.623Z","retentionMs":1576800000000,"policy":null,"parent":{"sessionId":"ses_c0CkeaPJkCMU4RMe4EI_WmqU_0vQjX-uGLW_uPo0fh8","seq":35,"reason":"try another way"},"document":{"fields":{"city":"Faro","count":3},"fieldMeta":{"city":{"actor":{"kind":"agent","id":"maker","name":"Maker"},"at":"2026-11-16T05:39:07.509Z"},"count":{"actor":{"kind":"agent","id":"maker","name":"Maker"},"at":"2026-11-16T05:39:07.509Z"}}}}}
{"seq":2,"type":"token.issued","at":"2026-11-16T05:39:07.623Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"in_progress","version":1,"payload":{"participant":"par_1","tokenHash":"A_FBJpIlvmlA"}}');
CREATE TABLE session (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      schema_version INTEGER NOT NULL,
      state TEXT NOT NULL,
      paused INTEGER NOT NULL,
      version INTEGER NOT NULL,
      title TEXT,
      fields TEXT NOT NULL,
      field_meta TEXT NOT NULL,
      review TEXT NOT NULL,
      next_step TEXT,
      schema TEXT,
      created_at TEXT NOT NULL,
      created_by TEXT NOT NULL,
      updated_at TEXT NOT NULL,
      updated_by TEXT NOT NULL,
      expires_at INTEGER NOT NULL,
      retention_ms INTEGER NOT NULL,
      policy TEXT,
      parent TEXT,
      ended_at INTEGER,
      revoked TEXT NOT NULL,
      automation TEXT NOT NULL,
      children TEXT NOT NULL,
      checkpoints_made INTEGER NOT NULL,
      trimmed TEXT,
      participants TEXT NOT NULL,
      plan TEXT,
      create_request TEXT,
      create_sealed BLOB
    );
INSERT INTO session (id, schema_version, state, paused, version, title, fields, field_meta, review, next_step, schema, created_at, created_by, updated_at, updated_by, expires_at, retention_ms, policy, parent, ended_at, revoked, automation, children, checkpoints_made, trimmed, participants, plan, create_request, create_sealed)
VALUES (1, 1, 'in_progress', 0, 1, 'Renamed', '{"city":"Faro","count":3}', '{"city":{"actor":{"kind":"agent","id":"maker","name":"Maker"},"at":"2026-11-16T05:39:07.509Z"},"count":{"actor":{"kind":"agent","id":"maker","name":"Maker"},"at":"2026-11-16T05:39:07.509Z"}}', '{"required":false,"approvals":1,"approvedBy":[]}', '{"description":"Go on","stepsCompleted":[1,2],"body":"# Next"}', '{"type":"object","properties":{"city":{"type":"string","title":"City"},"count":{"type":"integer","minimum":0},"scan":{"type":"object","format":"file"}},"required":["city"]}', '2026-11-16T05:39:07.623Z', '{"kind":"agent","id":"maker","name":"Maker"}', '2026-11-16T05:39:07.623Z', '{"kind":"agent","id":"maker","name":"Maker"}', 4948407547623, 1576800000000, NULL, '{"sessionId":"ses_c0CkeaPJkCMU4RMe4EI_WmqU_0vQjX-uGLW_uPo0fh8","seq":35,"reason":"try another way"}', NULL, '[]', '{"resumeAt":null,"attempt":null,"failures":[],"suspended":false,"lastStopSeq":null}', '[]', 0, NULL, '[{"number":1,"actor":{"kind":"agent","id":"maker","name":"Maker"},"scopes":["view","append","fill","handoff","own"],"madeBy":null,"note":null,"createdAt":1794807547623,"expiresAt":null,"tokenSeq":1,"tokenHash":"A_FBJpIlvmlALp4Ub1B5xEEwd3TFFIIKyFBgJQOkFDQ","fenceSeq":1,"seenVersion":1,"cursor":2,"filled":true,"last":null}]', NULL, NULL, NULL);
-- object /3924a8000f8806f2cb2b6bb761cb258e24c168a7e1fb4d8bb5c1ac0918db33d3.sqlite
CREATE TABLE commits (
      first_seq INTEGER PRIMARY KEY,
      last_seq INTEGER NOT NULL,
      at INTEGER NOT NULL,
      participant INTEGER,
      actor TEXT NOT NULL,
      state TEXT NOT NULL,
      version INTEGER NOT NULL,
      trimmable INTEGER NOT NULL,
      job_seq INTEGER NOT NULL DEFAULT 0,
      issued TEXT,
      append_key TEXT,
      append_request TEXT,
      events TEXT NOT NULL
    );
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (1, 2, 1794807548696, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'draft', 1, 0, 0, '[[1,"A_7R85RE9csUh3LHEfG_LfeO72UF6QWnqdNtvO8F81Q"]]', NULL, NULL, '{"seq":1,"type":"session.created","at":"2026-11-16T05:39:08.696Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"title":"Released: needs_review","schema":{"type":"object","properties":{"city":{"type":"string","title":"City"},"count":{"type":"integer","minimum":0},"scan":{"type":"object","format":"file"}},"required":["city"]},"review":{"required":true,"approvals":1},"nextStep":null,"expiresAt":"2126-10-23T05:39:08.696Z","retentionMs":1576800000000,"policy":null,"parent":null}}
{"seq":2,"type":"token.issued","at":"2026-11-16T05:39:08.696Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"participant":"par_1","tokenHash":"A_7R85RE9csU"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (3, 3, 1794807548753, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'in_progress', 3, 0, 0, '[[1,"JJVKlMrg3F-YQcan_i3uBVHWajsdViZuJiPGzPWXBQQ"]]', NULL, NULL, '{"seq":3,"type":"fields.updated","at":"2026-11-16T05:39:08.753Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"in_progress","version":3,"payload":{"changes":[{"field":"city","to":"Porto"}],"confidence":{"city":0.5}}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (4, 4, 1794807548795, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'needs_review', 4, 0, 0, '[[1,"TXodxyPJprH-rZB0ZC4bt0nRGO6_rcmFe_79vhEuOBY"]]', NULL, NULL, '{"seq":4,"type":"session.submitted","at":"2026-11-16T05:39:08.795Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"needs_review","version":4,"payload":{}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (5, 6, 1794807548822, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'needs_review', 4, 0, 0, '[[1,"cVszKGd30HkXTfNrlge9-HsEgOtzjVR9jXd0nHP6LwQ"],[2,"Cb6MiYQ9lGITpDYl4fCBomoT_yUkFgqRbm9D8ieZCjM"]]', NULL, NULL, '{"seq":5,"type":"handoff.created","at":"2026-11-16T05:39:08.822Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"needs_review","version":4,"payload":{"handoffId":"hnd_2","participant":"par_2","madeBy":"par_1","to":"agent","scopes":["view","review"],"note":"Yours"}}
{"seq":6,"type":"token.issued","at":"2026-11-16T05:39:08.822Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"needs_review","version":4,"payload":{"participant":"par_2","tokenHash":"g2BPHCe75USG"}}');
CREATE TABLE session (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      schema_version INTEGER NOT NULL,
      state TEXT NOT NULL,
      paused INTEGER NOT NULL,
      version INTEGER NOT NULL,
      title TEXT,
      fields TEXT NOT NULL,
      field_meta TEXT NOT NULL,
      review TEXT NOT NULL,
      next_step TEXT,
      schema TEXT,
      created_at TEXT NOT NULL,
      created_by TEXT NOT NULL,
      updated_at TEXT NOT NULL,
      updated_by TEXT NOT NULL,
      expires_at INTEGER NOT NULL,
      retention_ms INTEGER NOT NULL,
      policy TEXT,
      parent TEXT,
      ended_at INTEGER,
      revoked TEXT NOT NULL,
      automation TEXT NOT NULL,
      children TEXT NOT NULL,
      checkpoints_made INTEGER NOT NULL,
      trimmed TEXT,
      participants TEXT NOT NULL,
      plan TEXT,
      create_request TEXT,
      create_sealed BLOB
    );
INSERT INTO session (id, schema_version, state, paused, version, title, fields, field_meta, review, next_step, schema, created_at, created_by, updated_at, updated_by, expires_at, retention_ms, policy, parent, ended_at, revoked, automation, children, checkpoints_made, trimmed, participants, plan, create_request, create_sealed)
VALUES (1, 1, 'needs_review', 0, 4, 'Released: needs_review', '{"city":"Porto"}', '{"city":{"actor":{"kind":"agent","id":"maker","name":"Maker"},"at":"2026-11-16T05:39:08.753Z","confidence":0.5}}', '{"required":true,"approvals":1,"approvedBy":[]}', NULL, '{"type":"object","properties":{"city":{"type":"string","title":"City"},"count":{"type":"integer","minimum":0},"scan":{"type":"object","format":"file"}},"required":["city"]}', '2026-11-16T05:39:08.696Z', '{"kind":"agent","id":"maker","name":"Maker"}', '2026-11-16T05:39:08.795Z', '{"kind":"agent","id":"maker","name":"Maker"}', 4948407548696, 1576800000000, NULL, NULL, NULL, '[]', '{"resumeAt":null,"attempt":null,"failures":[],"suspended":false,"lastStopSeq":null}', '[]', 0, NULL, '[{"number":1,"actor":{"kind":"agent","id":"maker","name":"Maker"},"scopes":["view","append","fill","handoff","own"],"madeBy":null,"note":null,"createdAt":1794807548696,"expiresAt":null,"tokenSeq":5,"tokenHash":"cVszKGd30HkXTfNrlge9-HsEgOtzjVR9jXd0nHP6LwQ","fenceSeq":1,"seenVersion":4,"cursor":2,"filled":true,"last":{"consumed":"TXodxyPJprH-rZB0ZC4bt0nRGO6_rcmFe_79vhEuOBY","request":null,"outcome":{"participant":2,"issuedSeq":5},"sealed":null}},{"number":2,"actor":{"kind":"agent","id":"agent-2"},"scopes":["view","review"],"madeBy":1,"note":"Yours","createdAt":1794807548822,"expiresAt":null,"tokenSeq":5,"tokenHash":"Cb6MiYQ9lGITpDYl4fCBomoT_yUkFgqRbm9D8ieZCjM","fenceSeq":5,"seenVersion":4,"cursor":6,"filled":false,"last":null}]', NULL, NULL, NULL);
-- object /7340a479a3c9902314e1131ee0423f5a6a94ff4bd08d7fae18b5bfb8fa347e1f.sqlite
CREATE TABLE checkpoints (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    seq INTEGER NOT NULL,
    version INTEGER NOT NULL,
    at INTEGER NOT NULL,
    automatic INTEGER NOT NULL,
    pinned INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    body TEXT NOT NULL
  );
INSERT INTO checkpoints (number, name, seq, version, at, automatic, pinned, bytes, sha256, body)
VALUES (1, 'one', 29, 1, 1794807547471, 0, 1, 134, 'ca3ad0e3e8f56807e4060cb9e11afd4fe10dfaa31e99b0ed6f8efe11cd82e38b', '{"fieldMeta":{},"fields":{},"nextStep":{"body":"# Next","description":"Go on","stepsCompleted":[1,2]},"title":"Released: in_progress"}');
INSERT INTO checkpoints (number, name, seq, version, at, automatic, pinned, bytes, sha256, body)
VALUES (2, 'two', 32, 32, 1794807547519, 0, 0, 331, '3d61b8234784364f0fb4d499cb00019386c4fbf9a97f2b3abfd638d4e9213c50', '{"fieldMeta":{"city":{"actor":{"id":"maker","kind":"agent","name":"Maker"},"at":"2026-11-16T05:39:07.509Z"},"count":{"actor":{"id":"maker","kind":"agent","name":"Maker"},"at":"2026-11-16T05:39:07.509Z"}},"fields":{"city":"Faro","count":3},"nextStep":{"body":"# Next","description":"Go on","stepsCompleted":[1,2]},"title":"Renamed"}');
INSERT INTO checkpoints (number, name, seq, version, at, automatic, pinned, bytes, sha256, body)
VALUES (3, '20261116-053907', 35, 32, 1794807547557, 1, 0, 331, '3d61b8234784364f0fb4d499cb00019386c4fbf9a97f2b3abfd638d4e9213c50', '{"fieldMeta":{"city":{"actor":{"id":"maker","kind":"agent","name":"Maker"},"at":"2026-11-16T05:39:07.509Z"},"count":{"actor":{"id":"maker","kind":"agent","name":"Maker"},"at":"2026-11-16T05:39:07.509Z"}},"fields":{"city":"Faro","count":3},"nextStep":{"body":"# Next","description":"Go on","stepsCompleted":[1,2]},"title":"Renamed"}');
CREATE TABLE commits (
      first_seq INTEGER PRIMARY KEY,
      last_seq INTEGER NOT NULL,
      at INTEGER NOT NULL,
      participant INTEGER,
      actor TEXT NOT NULL,
      state TEXT NOT NULL,
      version INTEGER NOT NULL,
      trimmable INTEGER NOT NULL,
      job_seq INTEGER NOT NULL DEFAULT 0,
      issued TEXT,
      append_key TEXT,
      append_request TEXT,
      events TEXT NOT NULL
    );
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (1, 2, 1794807547066, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'draft', 1, 0, 0, '[[1,"QogibbfnhxxiKghwm6IfWU0sbMspZCaYObXylXKCCvU"]]', NULL, NULL, '{"seq":1,"type":"session.created","at":"2026-11-16T05:39:07.066Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"title":"Released: in_progress","schema":{"type":"object","properties":{"city":{"type":"string","title":"City"},"count":{"type":"integer","minimum":0},"scan":{"type":"object","format":"file"}},"required":["city"]},"review":{"required":false,"approvals":1},"nextStep":{"description":"Go on","stepsCompleted":[1,2],"body":"# Next"},"expiresAt":"2126-10-23T05:39:07.066Z","retentionMs":1576800000000,"policy":null,"parent":null}}
{"seq":2,"type":"token.issued","at":"2026-11-16T05:39:07.066Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"participant":"par_1","tokenHash":"Qogibbfnhxxi"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (3, 4, 1794807547243, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'draft', 1, 0, 0, '[[1,"XiUTHsdW0JULBqNRYp375mcCFpba-ZmOV9Uc-BM3Y4A"],[2,"hIHxY6ltrjei8_PFX9dOocQG0gzmUeUtcuRB1u6OfY0"]]', NULL, NULL, '{"seq":3,"type":"handoff.created","at":"2026-11-16T05:39:07.243Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"handoffId":"hnd_2","participant":"par_2","madeBy":"par_1","to":"agent","scopes":["view","append","fill","handoff"],"note":"Yours"}}
{"seq":4,"type":"token.issued","at":"2026-11-16T05:39:07.243Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"participant":"par_2","tokenHash":"kbcKIawG0U1c"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (5, 6, 1794807547313, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'draft', 1, 0, 0, '[[1,"fmCifJGvfIufh98CEwd5vIgLUbebRla7hi3ZqwiFraM"],[3,"WsU8Ect9_D04QSqO91s-z0BKiylCOPQ525WEcPjx03I"]]', NULL, NULL, '{"seq":5,"type":"handoff.created","at":"2026-11-16T05:39:07.313Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"handoffId":"hnd_3","participant":"par_3","madeBy":"par_1","to":"agent","scopes":["view"],"note":"Yours"}}
{"seq":6,"type":"token.issued","at":"2026-11-16T05:39:07.313Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"participant":"par_3","tokenHash":"WsU8Ect9_D04"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (7, 8, 1794807547322, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'draft', 1, 0, 0, '[[1,"TYFnKgYXSJZDTGprpolymDYeXEXBeZIFn1fOd0En8qc"]]', NULL, NULL, '{"seq":7,"type":"handoff.revoked","at":"2026-11-16T05:39:07.322Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"participants":["par_3"],"outcome":"success"}}
{"seq":8,"type":"token.revoked","at":"2026-11-16T05:39:07.322Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"participant":"par_3","tokenHash":"WsU8Ect9_D04"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (9, 9, 1794807547334, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'draft', 1, 0, 0, '[[1,"Ys0YPi8WnhTEMU01UaIzNqIRHp_YPipWYjf5GgeGvmk"],[4,"YxdVy-Ukr_T3PrctMUKVLE7C9c5wUPd8lpxyGVl84Ls"]]', NULL, NULL, '{"seq":9,"type":"handoff.link_issued","at":"2026-11-16T05:39:07.334Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"handoffId":"hnd_4","participant":"par_4","madeBy":"par_1","to":"human","scopes":["view","append","fill"],"expiresAt":"2126-10-23T05:39:07.066Z","singleUse":false,"takeover":false}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (10, 29, 1794807547450, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'draft', 1, 1, 0, NULL, 'ggRINtWhZOcsm4_NZCiBanyV19WtSYBTDjtLBXL5d5U', 'LlMezG8hryUIRt1rOR6s8FmnjSwGiRmDj8DlNuKVY-c', '{"seq":10,"type":"agent.step","at":"2026-11-16T05:39:07.450Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"n":0}}
{"seq":11,"type":"agent.step","at":"2026-11-16T05:39:07.450Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"n":1}}
{"seq":12,"type":"agent.step","at":"2026-11-16T05:39:07.450Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"n":2}}
{"seq":13,"type":"agent.step","at":"2026-11-16T05:39:07.450Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"n":3}}
{"seq":14,"type":"agent.step","at":"2026-11-16T05:39:07.450Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"n":4}}
{"seq":15,"type":"agent.step","at":"2026-11-16T05:39:07.450Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"n":5}}
{"seq":16,"type":"agent.step","at":"2026-11-16T05:39:07.450Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"n":6}}
{"seq":17,"type":"agent.step","at":"2026-11-16T05:39:07.450Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"n":7}}
{"seq":18,"type":"agent.step","at":"2026-11-16T05:39:07.450Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"n":8}}
{"seq":19,"type":"agent.step","at":"2026-11-16T05:39:07.450Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"n":9}}
{"seq":20,"type":"agent.step","at":"2026-11-16T05:39:07.450Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"n":10}}
{"seq":21,"type":"agent.step","at":"2026-11-16T05:39:07.450Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"n":11}}
{"seq":22,"type":"agent.step","at":"2026-11-16T05:39:07.450Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"n":12}}
{"seq":23,"type":"agent.step","at":"2026-11-16T05:39:07.450Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"n":13}}
{"seq":24,"type":"agent.step","at":"2026-11-16T05:39:07.450Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"n":14}}
{"seq":25,"type":"agent.step","at":"2026-11-16T05:39:07.450Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"n":15}}
{"seq":26,"type":"agent.step","at":"2026-11-16T05:39:07.450Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"n":16}}
{"seq":27,"type":"agent.step","at":"2026-11-16T05:39:07.450Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"n":17}}
{"seq":28,"type":"agent.step","at":"2026-11-16T05:39:07.450Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"n":18}}
{"seq":29,"type":"agent.step","at":"2026-11-16T05:39:07.450Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"n":19}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (30, 30, 1794807547471, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'draft', 1, 0, 0, '[[1,"8TmGj-6lMS0yMFaEh8mHyXl5r1buXAN7ZeB-WfhHPj0"]]', NULL, NULL, '{"seq":30,"type":"checkpoint.created","at":"2026-11-16T05:39:07.471Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"id":"chk_1","name":"one","seq":29,"version":1,"createdAt":"2026-11-16T05:39:07.471Z","automatic":false,"pinned":true,"bytes":134,"sha256":"ca3ad0e3e8f56807e4060cb9e11afd4fe10dfaa31e99b0ed6f8efe11cd82e38b","outcome":"success"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (31, 32, 1794807547509, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'in_progress', 32, 0, 0, '[[1,"vPSSn2MnGOaThYE_9b7nmIB-UWusvO8LW0O4EdTY7X0"]]', NULL, NULL, '{"seq":31,"type":"fields.updated","at":"2026-11-16T05:39:07.509Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"in_progress","version":31,"payload":{"changes":[{"field":"city","to":"Faro"},{"field":"count","to":3}]}}
{"seq":32,"type":"session.updated","at":"2026-11-16T05:39:07.509Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"in_progress","version":32,"payload":{"title":"Renamed"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (33, 33, 1794807547519, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'in_progress', 32, 0, 0, '[[1,"sMDsdE1U931Q1vw-_QnLt_yBz-m5y8k6TZnpM1tVodY"]]', NULL, NULL, '{"seq":33,"type":"checkpoint.created","at":"2026-11-16T05:39:07.519Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"in_progress","version":32,"payload":{"id":"chk_2","name":"two","seq":32,"version":32,"createdAt":"2026-11-16T05:39:07.519Z","automatic":false,"pinned":false,"bytes":331,"sha256":"3d61b8234784364f0fb4d499cb00019386c4fbf9a97f2b3abfd638d4e9213c50","outcome":"success"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (34, 34, 1794807547529, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'in_progress', 32, 0, 0, '[[1,"Gi0B8E6-X79MFWdVskn8bEHqQB-sW5L2nZsBz8w-YZc"]]', NULL, NULL, '{"seq":34,"type":"session.trimmed","at":"2026-11-16T05:39:07.529Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"in_progress","version":32,"payload":{"floor":29,"checkpoint":{"id":"chk_1","name":"one","seq":29},"outcome":"success"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (35, 35, 1794807547537, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'in_progress', 32, 0, 0, NULL, NULL, NULL, '{"seq":35,"type":"stop.reported","at":"2026-11-16T05:39:07.537Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"in_progress","version":32,"payload":{"reason":"completed","attempt":1,"decision":{"strategy":"none","resumeAt":null,"waitMs":0,"attempt":null,"why":"the work is done"},"failures":[],"outcome":"skipped"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (36, 37, 1794807547557, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'in_progress', 32, 0, 0, '[[1,"-1jddS9VvLH-eAnjdY8lubu7yMzOWOg8rJJFxmqUYAw"]]', NULL, NULL, '{"seq":36,"type":"checkpoint.created","at":"2026-11-16T05:39:07.557Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"in_progress","version":32,"payload":{"id":"chk_3","name":"20261116-053907","seq":35,"version":32,"createdAt":"2026-11-16T05:39:07.557Z","automatic":true,"pinned":false,"bytes":331,"sha256":"3d61b8234784364f0fb4d499cb00019386c4fbf9a97f2b3abfd638d4e9213c50","outcome":"success"}}
{"seq":37,"type":"session.forked","at":"2026-11-16T05:39:07.557Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"in_progress","version":32,"payload":{"child":"ses_NbMmDJ1NIU4xWLoVJE1vnajgR2ithBpo6mJNmvVrIqs","reason":"try another way","outcome":"success"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (38, 38, 1794807547719, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'in_progress', 32, 1, 0, NULL, NULL, NULL, '{"seq":38,"type":"job.submitted","at":"2026-11-16T05:39:07.719Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"in_progress","version":32,"payload":{"jobId":"job_c0CkeaPJkCMU4RMe4EI_WmqU_0vQjX-uGLW_uPo0fh8AAAAB","agent":"released-result","closePolicy":"keep"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (39, 39, 1794807547881, NULL, '{"kind":"agent","id":"released-result"}', 'in_progress', 32, 1, 0, NULL, NULL, NULL, '{"seq":39,"type":"job.started","at":"2026-11-16T05:39:07.881Z","actor":{"kind":"agent","id":"released-result"},"state":"in_progress","version":32,"payload":{"jobId":"job_c0CkeaPJkCMU4RMe4EI_WmqU_0vQjX-uGLW_uPo0fh8AAAAB","attempt":1,"leaseMs":60000}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (40, 40, 1794807547946, NULL, '{"kind":"agent","id":"released-result"}', 'in_progress', 32, 1, 1, NULL, NULL, NULL, '{"seq":40,"type":"job.event","at":"2026-11-16T05:39:07.946Z","actor":{"kind":"agent","id":"released-result"},"state":"in_progress","version":32,"payload":{"eventSeq":1,"jobId":"job_c0CkeaPJkCMU4RMe4EI_WmqU_0vQjX-uGLW_uPo0fh8AAAAB","kind":"log","body":{"line":"working"}}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (41, 41, 1794807547982, NULL, '{"kind":"agent","id":"released-result"}', 'in_progress', 32, 1, 2, NULL, NULL, NULL, '{"seq":41,"type":"job.result","at":"2026-11-16T05:39:07.982Z","actor":{"kind":"agent","id":"released-result"},"state":"in_progress","version":32,"payload":{"eventSeq":2,"jobId":"job_c0CkeaPJkCMU4RMe4EI_WmqU_0vQjX-uGLW_uPo0fh8AAAAB","finalStatus":"success","result":{"ok":true}}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (42, 42, 1794807547991, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'in_progress', 32, 1, 2, NULL, NULL, NULL, '{"seq":42,"type":"job.submitted","at":"2026-11-16T05:39:07.991Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"in_progress","version":32,"payload":{"jobId":"job_c0CkeaPJkCMU4RMe4EI_WmqU_0vQjX-uGLW_uPo0fh8AAAAC","agent":"released-error","closePolicy":"keep"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (43, 43, 1794807548045, NULL, '{"kind":"agent","id":"released-error"}', 'in_progress', 32, 1, 2, NULL, NULL, NULL, '{"seq":43,"type":"job.started","at":"2026-11-16T05:39:08.045Z","actor":{"kind":"agent","id":"released-error"},"state":"in_progress","version":32,"payload":{"jobId":"job_c0CkeaPJkCMU4RMe4EI_WmqU_0vQjX-uGLW_uPo0fh8AAAAC","attempt":1,"leaseMs":60000}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (44, 44, 1794807548052, NULL, '{"kind":"agent","id":"released-error"}', 'in_progress', 32, 1, 3, NULL, NULL, NULL, '{"seq":44,"type":"job.event","at":"2026-11-16T05:39:08.052Z","actor":{"kind":"agent","id":"released-error"},"state":"in_progress","version":32,"payload":{"eventSeq":3,"jobId":"job_c0CkeaPJkCMU4RMe4EI_WmqU_0vQjX-uGLW_uPo0fh8AAAAC","kind":"log","body":{"line":"working"}}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (45, 45, 1794807548058, NULL, '{"kind":"agent","id":"released-error"}', 'in_progress', 32, 1, 4, NULL, NULL, NULL, '{"seq":45,"type":"job.error","at":"2026-11-16T05:39:08.058Z","actor":{"kind":"agent","id":"released-error"},"state":"in_progress","version":32,"payload":{"eventSeq":4,"jobId":"job_c0CkeaPJkCMU4RMe4EI_WmqU_0vQjX-uGLW_uPo0fh8AAAAC","finalStatus":"error","code":"failed","message":"no","retryable":false,"outcome":"failure"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (46, 46, 1794807548065, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'in_progress', 32, 1, 4, NULL, NULL, NULL, '{"seq":46,"type":"job.submitted","at":"2026-11-16T05:39:08.065Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"in_progress","version":32,"payload":{"jobId":"job_c0CkeaPJkCMU4RMe4EI_WmqU_0vQjX-uGLW_uPo0fh8AAAAD","agent":"released-null","closePolicy":"keep"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (47, 47, 1794807548151, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'in_progress', 32, 0, 4, '[[1,"iC8h9D6FaN0B_4fUBIaPRgy8qKFvrCEZsvovWlv6pDQ"]]', NULL, NULL, '{"seq":47,"type":"session.paused","at":"2026-11-16T05:39:08.151Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"in_progress","version":32,"payload":{"outcome":"success","reason":"lunch"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (48, 49, 1794807548177, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'in_progress', 32, 0, 4, '[[1,"wL5z8uQP2eskHJ7hXpZU_sttmPO_5wwY6P_-cYr3Re8"]]', NULL, NULL, '{"seq":48,"type":"token.accessed","at":"2026-11-16T05:39:08.177Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"in_progress","version":32,"payload":{"participant":"par_1","tokenHash":"iC8h9D6FaN0B","by":"resume","auto":false}}
{"seq":49,"type":"token.issued","at":"2026-11-16T05:39:08.177Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"in_progress","version":32,"payload":{"participant":"par_1","tokenHash":"rF-9dUBkeXa1"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (50, 50, 1794807548200, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'in_progress', 50, 0, 4, '[[1,"q9d-_x11tqH6e7ZQrtCY-R-GwkGs5B2g2VfQcsOw-h4"]]', NULL, NULL, '{"seq":50,"type":"fields.updated","at":"2026-11-16T05:39:08.200Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"in_progress","version":50,"payload":{"changes":[{"field":"city","from":"Faro","to":"Lisbon"},{"field":"note","to":"it''s “quoted”\nand in two lines 🎈"}]}}');
CREATE TABLE jobs (
    number INTEGER PRIMARY KEY,
    status TEXT NOT NULL,
    due_at INTEGER,
    key TEXT,
    request TEXT,
    record TEXT NOT NULL,
    result TEXT,
    input TEXT NOT NULL
  );
INSERT INTO jobs (number, status, due_at, key, request, record, result, input)
VALUES (1, 'success', NULL, 'EFYzCT2uDTOSpA3Nwg2yCF0OBR3kRTD9CBxdL_BkH0U', 'CZ3-LxALeLd2HlKkmQIUYR2b-mZJciFeOVpeHZzlR-Q', '{"number":1,"agent":"released-result","version":null,"status":"success","createdBy":1,"createdAt":1794807547719,"closePolicy":"keep","maxRuntimeMs":null,"lease":null,"leaseUntil":null,"traceId":null,"tokens":["EGbsXEvmnQX7YN7Cy_RbrenSaodQRkceIP3LD03ygWQ"],"leaseMs":60000,"leaseExpiresAt":1794807607946,"startedAt":1794807547881,"endedAt":1794807547982,"offered":true,"lastEventSeq":2,"outcome":{},"lastBatch":null}', '{"ok":true}', '{"ask":"result"}');
INSERT INTO jobs (number, status, due_at, key, request, record, result, input)
VALUES (2, 'error', NULL, 'mkE2-8Vh5N_31n42rhc4qJjEd6H-z03XNvl0G4pLcyo', 'fJmKTvoZu-R6jBOikog97xl6etNgI8hnsx8CPXKnsqU', '{"number":2,"agent":"released-error","version":null,"status":"error","createdBy":1,"createdAt":1794807547991,"closePolicy":"keep","maxRuntimeMs":null,"lease":null,"leaseUntil":null,"traceId":null,"tokens":["NoqeOCvA9-Neyaed63MsNDdbUeLmlDQY0PrInOi3ldo"],"leaseMs":60000,"leaseExpiresAt":1794807608052,"startedAt":1794807548045,"endedAt":1794807548058,"offered":true,"lastEventSeq":4,"outcome":{"error":{"code":"failed","message":"no","retryable":false}},"lastBatch":null}', NULL, '{"ask":"error"}');
INSERT INTO jobs (number, status, due_at, key, request, record, result, input)
VALUES (3, 'pending', NULL, 'shuhuxWepoQqZdwxkbmLwSKBg6y0PkCx-hu69ZB6jZo', 'G18MkBJx1luo6wk1wwbBf8feeprDvqZYnl5EZUZJYZY', '{"number":3,"agent":"released-null","version":null,"status":"pending","createdBy":1,"createdAt":1794807548065,"closePolicy":"keep","maxRuntimeMs":null,"lease":null,"leaseUntil":null,"traceId":null,"tokens":[],"leaseMs":0,"leaseExpiresAt":null,"startedAt":null,"endedAt":null,"offered":true,"lastEventSeq":0,"outcome":null,"lastBatch":null}', NULL, '{"ask":null}');
CREATE TABLE session (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      schema_version INTEGER NOT NULL,
      state TEXT NOT NULL,
      paused INTEGER NOT NULL,
      version INTEGER NOT NULL,
      title TEXT,
      fields TEXT NOT NULL,
      field_meta TEXT NOT NULL,
      review TEXT NOT NULL,
      next_step TEXT,
      schema TEXT,
      created_at TEXT NOT NULL,
      created_by TEXT NOT NULL,
      updated_at TEXT NOT NULL,
      updated_by TEXT NOT NULL,
      expires_at INTEGER NOT NULL,
      retention_ms INTEGER NOT NULL,
      policy TEXT,
      parent TEXT,
      ended_at INTEGER,
      revoked TEXT NOT NULL,
      automation TEXT NOT NULL,
      children TEXT NOT NULL,
      checkpoints_made INTEGER NOT NULL,
      trimmed TEXT,
      participants TEXT NOT NULL,
      plan TEXT,
      create_request TEXT,
      create_sealed BLOB
    );
INSERT INTO session (id, schema_version, state, paused, version, title, fields, field_meta, review, next_step, schema, created_at, created_by, updated_at, updated_by, expires_at, retention_ms, policy, parent, ended_at, revoked, automation, children, checkpoints_made, trimmed, participants, plan, create_request, create_sealed)
VALUES (1, 1, 'in_progress', 1, 50, 'Renamed', '{"city":"Lisbon","count":3,"note":"it''s “quoted”\nand in two lines 🎈"}', '{"city":{"actor":{"kind":"agent","id":"maker","name":"Maker"},"at":"2026-11-16T05:39:08.200Z"},"count":{"actor":{"kind":"agent","id":"maker","name":"Maker"},"at":"2026-11-16T05:39:07.509Z"},"note":{"actor":{"kind":"agent","id":"maker","name":"Maker"},"at":"2026-11-16T05:39:08.200Z"}}', '{"required":false,"approvals":1,"approvedBy":[]}', '{"description":"Go on","stepsCompleted":[1,2],"body":"# Next"}', '{"type":"object","properties":{"city":{"type":"string","title":"City"},"count":{"type":"integer","minimum":0},"scan":{"type":"object","format":"file"}},"required":["city"]}', '2026-11-16T05:39:07.066Z', '{"kind":"agent","id":"maker","name":"Maker"}', '2026-11-16T05:39:08.200Z', '{"kind":"agent","id":"maker","name":"Maker"}', 4948407547066, 1576800000000, NULL, NULL, NULL, '[3]', '{"resumeAt":null,"attempt":null,"failures":[],"suspended":false,"lastStopSeq":35}', '[{"sessionId":"ses_NbMmDJ1NIU4xWLoVJE1vnajgR2ithBpo6mJNmvVrIqs","seq":37}]', 3, '{"floor":29,"checkpoint":{"id":"chk_1","name":"one","seq":29}}', '[{"number":1,"actor":{"kind":"agent","id":"maker","name":"Maker"},"scopes":["view","append","fill","handoff","own"],"madeBy":null,"note":null,"createdAt":1794807547066,"expiresAt":null,"tokenSeq":50,"tokenHash":"q9d-_x11tqH6e7ZQrtCY-R-GwkGs5B2g2VfQcsOw-h4","fenceSeq":48,"seenVersion":50,"cursor":49,"filled":true,"last":{"consumed":"wL5z8uQP2eskHJ7hXpZU_sttmPO_5wwY6P_-cYr3Re8","request":"b25yNQ46xlp4lJ_snIMzDKid2vmdzqnbaeQP6Emh7Vc","outcome":{"issuedSeq":50},"sealed":"QLYQYU4X3mEurZjI-ageuA5TB9tlhZkp_t35_XRFHkGkz8yNxrHd9RZI3Fsmb1rf8u0LsA"}},{"number":2,"actor":{"kind":"agent","id":"agent-2"},"scopes":["view","append","fill","handoff"],"madeBy":1,"note":"Yours","createdAt":1794807547243,"expiresAt":null,"tokenSeq":3,"tokenHash":"hIHxY6ltrjei8_PFX9dOocQG0gzmUeUtcuRB1u6OfY0","fenceSeq":3,"seenVersion":1,"cursor":4,"filled":false,"last":null},{"number":3,"actor":{"kind":"agent","id":"agent-3"},"scopes":["view"],"madeBy":1,"note":"Yours","createdAt":1794807547313,"expiresAt":null,"tokenSeq":5,"tokenHash":"WsU8Ect9_D04QSqO91s-z0BKiylCOPQ525WEcPjx03I","fenceSeq":5,"seenVersion":1,"cursor":6,"filled":false,"last":null},{"number":4,"actor":{"kind":"human","id":"person-4"},"scopes":["view","append","fill"],"madeBy":1,"note":null,"createdAt":1794807547334,"expiresAt":4948407547066,"tokenSeq":9,"tokenHash":"YxdVy-Ukr_T3PrctMUKVLE7C9c5wUPd8lpxyGVl84Ls","fenceSeq":9,"seenVersion":1,"cursor":9,"filled":false,"link":{"code":"79glGJ29gCP2MDYo1S5xW7i5SE0-C_qE7mOclYDvvv0","singleUse":false,"takeover":false,"isListed":true,"openedAt":null},"last":null}]', NULL, NULL, NULL);
-- object /93f6b5e9e841a2ac67643e3c4c803daa7491d7bc08bed93784738afc2ec2d6d3.sqlite
CREATE TABLE commits (
      first_seq INTEGER PRIMARY KEY,
      last_seq INTEGER NOT NULL,
      at INTEGER NOT NULL,
      participant INTEGER,
      actor TEXT NOT NULL,
      state TEXT NOT NULL,
      version INTEGER NOT NULL,
      trimmable INTEGER NOT NULL,
      job_seq INTEGER NOT NULL DEFAULT 0,
      issued TEXT,
      append_key TEXT,
      append_request TEXT,
      events TEXT NOT NULL
    );
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (1, 2, 1794807549462, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'draft', 1, 0, 0, '[[1,"KgZkBrBHrq6uIVhKsg-1g1wy2J436Kp8DGKlRhAYTxU"]]', NULL, NULL, '{"seq":1,"type":"session.created","at":"2026-11-16T05:39:09.462Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"title":"Released: cancelled","schema":null,"review":{"required":false,"approvals":1},"nextStep":null,"expiresAt":"2126-10-23T05:39:09.462Z","retentionMs":1576800000000,"policy":null,"parent":null}}
{"seq":2,"type":"token.issued","at":"2026-11-16T05:39:09.462Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"participant":"par_1","tokenHash":"KgZkBrBHrq6u"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (3, 3, 1794807549503, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'cancelled', 3, 0, 0, '[[1,"fT64DWcgfBMu89Y2XpUdfv57UM1rLx5TkaPWF561WQY"]]', NULL, NULL, '{"seq":3,"type":"session.cancelled","at":"2026-11-16T05:39:09.503Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"cancelled","version":3,"payload":{"reason":"Enough"}}');
CREATE TABLE session (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      schema_version INTEGER NOT NULL,
      state TEXT NOT NULL,
      paused INTEGER NOT NULL,
      version INTEGER NOT NULL,
      title TEXT,
      fields TEXT NOT NULL,
      field_meta TEXT NOT NULL,
      review TEXT NOT NULL,
      next_step TEXT,
      schema TEXT,
      created_at TEXT NOT NULL,
      created_by TEXT NOT NULL,
      updated_at TEXT NOT NULL,
      updated_by TEXT NOT NULL,
      expires_at INTEGER NOT NULL,
      retention_ms INTEGER NOT NULL,
      policy TEXT,
      parent TEXT,
      ended_at INTEGER,
      revoked TEXT NOT NULL,
      automation TEXT NOT NULL,
      children TEXT NOT NULL,
      checkpoints_made INTEGER NOT NULL,
      trimmed TEXT,
      participants TEXT NOT NULL,
      plan TEXT,
      create_request TEXT,
      create_sealed BLOB
    );
INSERT INTO session (id, schema_version, state, paused, version, title, fields, field_meta, review, next_step, schema, created_at, created_by, updated_at, updated_by, expires_at, retention_ms, policy, parent, ended_at, revoked, automation, children, checkpoints_made, trimmed, participants, plan, create_request, create_sealed)
VALUES (1, 1, 'cancelled', 0, 3, 'Released: cancelled', '{}', '{}', '{"required":false,"approvals":1,"approvedBy":[]}', NULL, NULL, '2026-11-16T05:39:09.462Z', '{"kind":"agent","id":"maker","name":"Maker"}', '2026-11-16T05:39:09.503Z', '{"kind":"agent","id":"maker","name":"Maker"}', 4948407549462, 1576800000000, NULL, NULL, 1794807549503, '[]', '{"resumeAt":null,"attempt":null,"failures":[],"suspended":false,"lastStopSeq":null}', '[]', 0, NULL, '[{"number":1,"actor":{"kind":"agent","id":"maker","name":"Maker"},"scopes":["view","append","fill","handoff","own"],"madeBy":null,"note":null,"createdAt":1794807549462,"expiresAt":null,"tokenSeq":3,"tokenHash":"fT64DWcgfBMu89Y2XpUdfv57UM1rLx5TkaPWF561WQY","fenceSeq":1,"seenVersion":3,"cursor":2,"filled":true,"last":{"consumed":"KgZkBrBHrq6uIVhKsg-1g1wy2J436Kp8DGKlRhAYTxU","request":null,"outcome":{"issuedSeq":3},"sealed":null}}]', NULL, NULL, NULL);
-- object /9773d295b436d4d282820275e55fd7b87c144e57722ce76afdd9f7f10e47f8e3.sqlite
CREATE TABLE tombstone (purged_at INTEGER PRIMARY KEY);
INSERT INTO tombstone (purged_at)
VALUES (1794807549701);
-- object /c277e28765a0193434c1abe5e148b5e5eaca31400a5e2108013a0b03ae8d654a.sqlite
CREATE TABLE commits (
      first_seq INTEGER PRIMARY KEY,
      last_seq INTEGER NOT NULL,
      at INTEGER NOT NULL,
      participant INTEGER,
      actor TEXT NOT NULL,
      state TEXT NOT NULL,
      version INTEGER NOT NULL,
      trimmable INTEGER NOT NULL,
      job_seq INTEGER NOT NULL DEFAULT 0,
      issued TEXT,
      append_key TEXT,
      append_request TEXT,
      events TEXT NOT NULL
    );
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (1, 2, 1794807549270, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'draft', 1, 0, 0, '[[1,"Ez9cJOitFNovY_4k1w7C2QXuPtZgh_3eKik2XYdIiPE"]]', NULL, NULL, '{"seq":1,"type":"session.created","at":"2026-11-16T05:39:09.270Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"title":"Released: rejected","schema":{"type":"object","properties":{"city":{"type":"string","title":"City"},"count":{"type":"integer","minimum":0},"scan":{"type":"object","format":"file"}},"required":["city"]},"review":{"required":true,"approvals":1},"nextStep":null,"expiresAt":"2126-10-23T05:39:09.270Z","retentionMs":1576800000000,"policy":null,"parent":null}}
{"seq":2,"type":"token.issued","at":"2026-11-16T05:39:09.270Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"participant":"par_1","tokenHash":"Ez9cJOitFNov"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (3, 3, 1794807549311, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'in_progress', 3, 0, 0, '[[1,"eWhHNMvazHgr1F1PEWpmrJdhrsjVPKW3qx4K2CMIEMw"]]', NULL, NULL, '{"seq":3,"type":"fields.updated","at":"2026-11-16T05:39:09.311Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"in_progress","version":3,"payload":{"changes":[{"field":"city","to":"Porto"}],"confidence":{"city":0.5}}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (4, 4, 1794807549341, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'needs_review', 4, 0, 0, '[[1,"BTk7oRqXjOGdN-axEtWZirtSQ_U7_VQGutPkWlNhW0g"]]', NULL, NULL, '{"seq":4,"type":"session.submitted","at":"2026-11-16T05:39:09.341Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"needs_review","version":4,"payload":{}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (5, 6, 1794807549373, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'needs_review', 4, 0, 0, '[[1,"h7W9mflNk3ror43KalBD2S-BDerBtkhO0CX6TqMj0nI"],[2,"LZVeTJTvao3p66aaa40NLGeU1XdSns7KGt0xOVWB_gw"]]', NULL, NULL, '{"seq":5,"type":"handoff.created","at":"2026-11-16T05:39:09.373Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"needs_review","version":4,"payload":{"handoffId":"hnd_2","participant":"par_2","madeBy":"par_1","to":"agent","scopes":["view","review"],"note":"Yours"}}
{"seq":6,"type":"token.issued","at":"2026-11-16T05:39:09.373Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"needs_review","version":4,"payload":{"participant":"par_2","tokenHash":"LZVeTJTvao3p"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (7, 7, 1794807549391, 2, '{"kind":"agent","id":"agent-2"}', 'rejected', 7, 0, 0, '[[2,"GLLzveBjZff3DvoApapEYBxWvH64rUysEgEl0Bohiao"]]', NULL, NULL, '{"seq":7,"type":"review.rejected","at":"2026-11-16T05:39:09.391Z","actor":{"kind":"agent","id":"agent-2"},"state":"rejected","version":7,"payload":{"reason":"No"}}');
CREATE TABLE session (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      schema_version INTEGER NOT NULL,
      state TEXT NOT NULL,
      paused INTEGER NOT NULL,
      version INTEGER NOT NULL,
      title TEXT,
      fields TEXT NOT NULL,
      field_meta TEXT NOT NULL,
      review TEXT NOT NULL,
      next_step TEXT,
      schema TEXT,
      created_at TEXT NOT NULL,
      created_by TEXT NOT NULL,
      updated_at TEXT NOT NULL,
      updated_by TEXT NOT NULL,
      expires_at INTEGER NOT NULL,
      retention_ms INTEGER NOT NULL,
      policy TEXT,
      parent TEXT,
      ended_at INTEGER,
      revoked TEXT NOT NULL,
      automation TEXT NOT NULL,
      children TEXT NOT NULL,
      checkpoints_made INTEGER NOT NULL,
      trimmed TEXT,
      participants TEXT NOT NULL,
      plan TEXT,
      create_request TEXT,
      create_sealed BLOB
    );
INSERT INTO session (id, schema_version, state, paused, version, title, fields, field_meta, review, next_step, schema, created_at, created_by, updated_at, updated_by, expires_at, retention_ms, policy, parent, ended_at, revoked, automation, children, checkpoints_made, trimmed, participants, plan, create_request, create_sealed)
VALUES (1, 1, 'rejected', 0, 7, 'Released: rejected', '{"city":"Porto"}', '{"city":{"actor":{"kind":"agent","id":"maker","name":"Maker"},"at":"2026-11-16T05:39:09.311Z","confidence":0.5}}', '{"required":true,"approvals":1,"approvedBy":[],"rejectedBecause":"No"}', NULL, '{"type":"object","properties":{"city":{"type":"string","title":"City"},"count":{"type":"integer","minimum":0},"scan":{"type":"object","format":"file"}},"required":["city"]}', '2026-11-16T05:39:09.270Z', '{"kind":"agent","id":"maker","name":"Maker"}', '2026-11-16T05:39:09.391Z', '{"kind":"agent","id":"agent-2"}', 4948407549270, 1576800000000, NULL, NULL, 1794807549391, '[]', '{"resumeAt":null,"attempt":null,"failures":[],"suspended":false,"lastStopSeq":null}', '[]', 0, NULL, '[{"number":1,"actor":{"kind":"agent","id":"maker","name":"Maker"},"scopes":["view","append","fill","handoff","own"],"madeBy":null,"note":null,"createdAt":1794807549270,"expiresAt":null,"tokenSeq":5,"tokenHash":"h7W9mflNk3ror43KalBD2S-BDerBtkhO0CX6TqMj0nI","fenceSeq":1,"seenVersion":4,"cursor":2,"filled":true,"last":{"consumed":"BTk7oRqXjOGdN-axEtWZirtSQ_U7_VQGutPkWlNhW0g","request":null,"outcome":{"participant":2,"issuedSeq":5},"sealed":null}},{"number":2,"actor":{"kind":"agent","id":"agent-2"},"scopes":["view","review"],"madeBy":1,"note":"Yours","createdAt":1794807549373,"expiresAt":null,"tokenSeq":7,"tokenHash":"GLLzveBjZff3DvoApapEYBxWvH64rUysEgEl0Bohiao","fenceSeq":5,"seenVersion":7,"cursor":6,"filled":false,"last":{"consumed":"LZVeTJTvao3p66aaa40NLGeU1XdSns7KGt0xOVWB_gw","request":null,"outcome":{"issuedSeq":7},"sealed":null}}]', NULL, NULL, NULL);
-- object /d8bc9ba80e9cbaf74db82c9f506b0a0ff9afd33d70b5c82d88263e298dbf1462.sqlite
CREATE TABLE commits (
      first_seq INTEGER PRIMARY KEY,
      last_seq INTEGER NOT NULL,
      at INTEGER NOT NULL,
      participant INTEGER,
      actor TEXT NOT NULL,
      state TEXT NOT NULL,
      version INTEGER NOT NULL,
      trimmable INTEGER NOT NULL,
      job_seq INTEGER NOT NULL DEFAULT 0,
      issued TEXT,
      append_key TEXT,
      append_request TEXT,
      events TEXT NOT NULL
    );
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (1, 2, 1794807549130, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'draft', 1, 0, 0, '[[1,"5xAxcnu0Lx2z8Xk30bl0qF3zVcURdFXDs2JAsap9reU"]]', NULL, NULL, '{"seq":1,"type":"session.created","at":"2026-11-16T05:39:09.130Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"title":"Released: finalized","schema":null,"review":{"required":false,"approvals":1},"nextStep":null,"expiresAt":"2126-10-23T05:39:09.130Z","retentionMs":1576800000000,"policy":null,"parent":null}}
{"seq":2,"type":"token.issued","at":"2026-11-16T05:39:09.130Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"participant":"par_1","tokenHash":"5xAxcnu0Lx2z"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (3, 3, 1794807549217, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'submitted', 3, 0, 0, '[[1,"YNDlBP_EM1sTgfVBym2bz8cdMic_siYxq5ue_0SDJFI"]]', NULL, NULL, '{"seq":3,"type":"session.submitted","at":"2026-11-16T05:39:09.217Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"submitted","version":3,"payload":{}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (4, 4, 1794807549242, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'finalized', 4, 0, 0, '[[1,"Qr1jexbYjoO4pVj-cGykrNJ1nPGCkAecMlzefR4INJ4"]]', NULL, NULL, '{"seq":4,"type":"session.finalized","at":"2026-11-16T05:39:09.242Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"finalized","version":4,"payload":{"reason":"Done"}}');
CREATE TABLE session (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      schema_version INTEGER NOT NULL,
      state TEXT NOT NULL,
      paused INTEGER NOT NULL,
      version INTEGER NOT NULL,
      title TEXT,
      fields TEXT NOT NULL,
      field_meta TEXT NOT NULL,
      review TEXT NOT NULL,
      next_step TEXT,
      schema TEXT,
      created_at TEXT NOT NULL,
      created_by TEXT NOT NULL,
      updated_at TEXT NOT NULL,
      updated_by TEXT NOT NULL,
      expires_at INTEGER NOT NULL,
      retention_ms INTEGER NOT NULL,
      policy TEXT,
      parent TEXT,
      ended_at INTEGER,
      revoked TEXT NOT NULL,
      automation TEXT NOT NULL,
      children TEXT NOT NULL,
      checkpoints_made INTEGER NOT NULL,
      trimmed TEXT,
      participants TEXT NOT NULL,
      plan TEXT,
      create_request TEXT,
      create_sealed BLOB
    );
INSERT INTO session (id, schema_version, state, paused, version, title, fields, field_meta, review, next_step, schema, created_at, created_by, updated_at, updated_by, expires_at, retention_ms, policy, parent, ended_at, revoked, automation, children, checkpoints_made, trimmed, participants, plan, create_request, create_sealed)
VALUES (1, 1, 'finalized', 0, 4, 'Released: finalized', '{}', '{}', '{"required":false,"approvals":1,"approvedBy":[]}', NULL, NULL, '2026-11-16T05:39:09.130Z', '{"kind":"agent","id":"maker","name":"Maker"}', '2026-11-16T05:39:09.242Z', '{"kind":"agent","id":"maker","name":"Maker"}', 4948407549130, 1576800000000, NULL, NULL, 1794807549242, '[]', '{"resumeAt":null,"attempt":null,"failures":[],"suspended":false,"lastStopSeq":null}', '[]', 0, NULL, '[{"number":1,"actor":{"kind":"agent","id":"maker","name":"Maker"},"scopes":["view","append","fill","handoff","own"],"madeBy":null,"note":null,"createdAt":1794807549130,"expiresAt":null,"tokenSeq":4,"tokenHash":"Qr1jexbYjoO4pVj-cGykrNJ1nPGCkAecMlzefR4INJ4","fenceSeq":1,"seenVersion":4,"cursor":2,"filled":true,"last":{"consumed":"YNDlBP_EM1sTgfVBym2bz8cdMic_siYxq5ue_0SDJFI","request":null,"outcome":{"issuedSeq":4},"sealed":null}}]', NULL, NULL, NULL);
-- object /feb6de8f53c864562ee25dc49d3e09cd758e0ea23025ef6547748ce4db018584.sqlite
CREATE TABLE commits (
      first_seq INTEGER PRIMARY KEY,
      last_seq INTEGER NOT NULL,
      at INTEGER NOT NULL,
      participant INTEGER,
      actor TEXT NOT NULL,
      state TEXT NOT NULL,
      version INTEGER NOT NULL,
      trimmable INTEGER NOT NULL,
      job_seq INTEGER NOT NULL DEFAULT 0,
      issued TEXT,
      append_key TEXT,
      append_request TEXT,
      events TEXT NOT NULL
    );
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (1, 2, 1794807548637, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'draft', 1, 0, 0, '[[1,"PqVvn_p8f5H9SGsd_5teLdMnbJ2sYXWQAvuad8tSijY"]]', NULL, NULL, '{"seq":1,"type":"session.created","at":"2026-11-16T05:39:08.637Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"title":"Released: submitted","schema":null,"review":{"required":false,"approvals":1},"nextStep":null,"expiresAt":"2126-10-23T05:39:08.637Z","retentionMs":1576800000000,"policy":null,"parent":null}}
{"seq":2,"type":"token.issued","at":"2026-11-16T05:39:08.637Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"participant":"par_1","tokenHash":"PqVvn_p8f5H9"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (3, 3, 1794807548672, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'submitted', 3, 0, 0, '[[1,"DGsQ_phEhmaowFwYEoHFtaa4axU9I-V_6FscvL9mimg"]]', NULL, NULL, '{"seq":3,"type":"session.submitted","at":"2026-11-16T05:39:08.672Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"submitted","version":3,"payload":{}}');
CREATE TABLE session (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      schema_version INTEGER NOT NULL,
      state TEXT NOT NULL,
      paused INTEGER NOT NULL,
      version INTEGER NOT NULL,
      title TEXT,
      fields TEXT NOT NULL,
      field_meta TEXT NOT NULL,
      review TEXT NOT NULL,
      next_step TEXT,
      schema TEXT,
      created_at TEXT NOT NULL,
      created_by TEXT NOT NULL,
      updated_at TEXT NOT NULL,
      updated_by TEXT NOT NULL,
      expires_at INTEGER NOT NULL,
      retention_ms INTEGER NOT NULL,
      policy TEXT,
      parent TEXT,
      ended_at INTEGER,
      revoked TEXT NOT NULL,
      automation TEXT NOT NULL,
      children TEXT NOT NULL,
      checkpoints_made INTEGER NOT NULL,
      trimmed TEXT,
      participants TEXT NOT NULL,
      plan TEXT,
      create_request TEXT,
      create_sealed BLOB
    );
INSERT INTO session (id, schema_version, state, paused, version, title, fields, field_meta, review, next_step, schema, created_at, created_by, updated_at, updated_by, expires_at, retention_ms, policy, parent, ended_at, revoked, automation, children, checkpoints_made, trimmed, participants, plan, create_request, create_sealed)
VALUES (1, 1, 'submitted', 0, 3, 'Released: submitted', '{}', '{}', '{"required":false,"approvals":1,"approvedBy":[]}', NULL, NULL, '2026-11-16T05:39:08.637Z', '{"kind":"agent","id":"maker","name":"Maker"}', '2026-11-16T05:39:08.672Z', '{"kind":"agent","id":"maker","name":"Maker"}', 4948407548637, 1576800000000, NULL, NULL, NULL, '[]', '{"resumeAt":null,"attempt":null,"failures":[],"suspended":false,"lastStopSeq":null}', '[]', 0, NULL, '[{"number":1,"actor":{"kind":"agent","id":"maker","name":"Maker"},"scopes":["view","append","fill","handoff","own"],"madeBy":null,"note":null,"createdAt":1794807548637,"expiresAt":null,"tokenSeq":3,"tokenHash":"DGsQ_phEhmaowFwYEoHFtaa4axU9I-V_6FscvL9mimg","fenceSeq":1,"seenVersion":3,"cursor":2,"filled":true,"last":{"consumed":"PqVvn_p8f5H9SGsd_5teLdMnbJ2sYXWQAvuad8tSijY","request":null,"outcome":{"issuedSeq":3},"sealed":null}}]', NULL, NULL, NULL);
-- object /ff091f91da36548df574fa2a273438c3710207fe050854bdda7935104070a85e.sqlite
CREATE TABLE commits (
      first_seq INTEGER PRIMARY KEY,
      last_seq INTEGER NOT NULL,
      at INTEGER NOT NULL,
      participant INTEGER,
      actor TEXT NOT NULL,
      state TEXT NOT NULL,
      version INTEGER NOT NULL,
      trimmable INTEGER NOT NULL,
      job_seq INTEGER NOT NULL DEFAULT 0,
      issued TEXT,
      append_key TEXT,
      append_request TEXT,
      events TEXT NOT NULL
    );
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (1, 2, 1794807548343, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'draft', 1, 0, 0, '[[1,"nYPUysjjbNUCSd7dsrOsLkRT3fEPep7t3cUoAN5xE7E"]]', NULL, NULL, '{"seq":1,"type":"session.created","at":"2026-11-16T05:39:08.343Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"title":"Released: awaiting_upload","schema":{"type":"object","properties":{"city":{"type":"string","title":"City"},"count":{"type":"integer","minimum":0},"scan":{"type":"object","format":"file"}},"required":["city"]},"review":{"required":false,"approvals":1},"nextStep":null,"expiresAt":"2126-10-23T05:39:08.343Z","retentionMs":1576800000000,"policy":null,"parent":null}}
{"seq":2,"type":"token.issued","at":"2026-11-16T05:39:08.343Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"participant":"par_1","tokenHash":"nYPUysjjbNUC"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (3, 3, 1794807548406, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'awaiting_upload', 3, 0, 0, '[[1,"3bXnCi6eTg1NYLBbstB_ayrVAHjoszLtSd0gtclwsBI"]]', NULL, NULL, '{"seq":3,"type":"upload.requested","at":"2026-11-16T05:39:08.406Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"awaiting_upload","version":3,"payload":{"upload":"upl_1","field":"scan","name":"scan.txt","type":"text/plain","size":5}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (4, 5, 1794807548538, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'in_progress', 5, 0, 0, '[[1,"BfvaQfV4cwCXzRKsOP4rCZKwv9RUBofp5Rm6QlzkGj4"]]', NULL, NULL, '{"seq":4,"type":"upload.confirmed","at":"2026-11-16T05:39:08.538Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"in_progress","version":4,"payload":{"upload":"upl_1","field":"scan","name":"scan.txt","type":"text/plain","size":5,"sha256":"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"}}
{"seq":5,"type":"fields.updated","at":"2026-11-16T05:39:08.538Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"in_progress","version":5,"payload":{"changes":[{"field":"scan","to":{"id":"upl_1","name":"scan.txt","type":"text/plain","size":5,"sha256":"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"}}]}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (6, 6, 1794807548587, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'awaiting_upload', 6, 0, 0, '[[1,"4IwIENXBTQCfINtJ7jPyCD2U8BfJTapvE56hwU1OMyU"]]', NULL, NULL, '{"seq":6,"type":"upload.requested","at":"2026-11-16T05:39:08.587Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"awaiting_upload","version":6,"payload":{"upload":"upl_2","field":"scan","name":"second.txt","type":"text/plain","size":5}}');
CREATE TABLE session (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      schema_version INTEGER NOT NULL,
      state TEXT NOT NULL,
      paused INTEGER NOT NULL,
      version INTEGER NOT NULL,
      title TEXT,
      fields TEXT NOT NULL,
      field_meta TEXT NOT NULL,
      review TEXT NOT NULL,
      next_step TEXT,
      schema TEXT,
      created_at TEXT NOT NULL,
      created_by TEXT NOT NULL,
      updated_at TEXT NOT NULL,
      updated_by TEXT NOT NULL,
      expires_at INTEGER NOT NULL,
      retention_ms INTEGER NOT NULL,
      policy TEXT,
      parent TEXT,
      ended_at INTEGER,
      revoked TEXT NOT NULL,
      automation TEXT NOT NULL,
      children TEXT NOT NULL,
      checkpoints_made INTEGER NOT NULL,
      trimmed TEXT,
      participants TEXT NOT NULL,
      plan TEXT,
      create_request TEXT,
      create_sealed BLOB
    );
INSERT INTO session (id, schema_version, state, paused, version, title, fields, field_meta, review, next_step, schema, created_at, created_by, updated_at, updated_by, expires_at, retention_ms, policy, parent, ended_at, revoked, automation, children, checkpoints_made, trimmed, participants, plan, create_request, create_sealed)
VALUES (1, 1, 'awaiting_upload', 0, 6, 'Released: awaiting_upload', '{"scan":{"id":"upl_1","name":"scan.txt","type":"text/plain","size":5,"sha256":"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"}}', '{"scan":{"actor":{"kind":"agent","id":"maker","name":"Maker"},"at":"2026-11-16T05:39:08.538Z"}}', '{"required":false,"approvals":1,"approvedBy":[]}', NULL, '{"type":"object","properties":{"city":{"type":"string","title":"City"},"count":{"type":"integer","minimum":0},"scan":{"type":"object","format":"file"}},"required":["city"]}', '2026-11-16T05:39:08.343Z', '{"kind":"agent","id":"maker","name":"Maker"}', '2026-11-16T05:39:08.587Z', '{"kind":"agent","id":"maker","name":"Maker"}', 4948407548343, 1576800000000, NULL, NULL, NULL, '[]', '{"resumeAt":null,"attempt":null,"failures":[],"suspended":false,"lastStopSeq":null}', '[]', 0, NULL, '[{"number":1,"actor":{"kind":"agent","id":"maker","name":"Maker"},"scopes":["view","append","fill","handoff","own"],"madeBy":null,"note":null,"createdAt":1794807548343,"expiresAt":null,"tokenSeq":6,"tokenHash":"4IwIENXBTQCfINtJ7jPyCD2U8BfJTapvE56hwU1OMyU","fenceSeq":1,"seenVersion":6,"cursor":2,"filled":true,"last":{"consumed":"BfvaQfV4cwCXzRKsOP4rCZKwv9RUBofp5Rm6QlzkGj4","request":null,"outcome":{"upload":{"id":"upl_2","field":"scan","name":"second.txt","type":"text/plain","size":5,"sha256":null,"status":"pending","requestedAt":"2026-11-16T05:39:08.587Z"},"issuedSeq":6},"sealed":null}}]', NULL, NULL, NULL);
CREATE TABLE uploads (
    number INTEGER PRIMARY KEY,
    field TEXT,
    name TEXT NOT NULL,
    type TEXT NOT NULL,
    size INTEGER NOT NULL,
    sha256 TEXT,
    status TEXT NOT NULL,
    requested_at INTEGER NOT NULL,
    stored TEXT
  );
INSERT INTO uploads (number, field, name, type, size, sha256, status, requested_at, stored)
VALUES (1, 'scan', 'scan.txt', 'text/plain', 5, '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824', 'confirmed', 1794807548406, '{"key":"ff091f91da36548df574fa2a273438c3710207fe050854bdda7935104070a85e/1/ea9be3ec-cf90-4c65-97a3-48f073848700","size":5,"sha256":"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"}');
INSERT INTO uploads (number, field, name, type, size, sha256, status, requested_at, stored)
VALUES (2, 'scan', 'second.txt', 'text/plain', 5, NULL, 'pending', 1794807548587, NULL);
