-- object -agents/0268947aafd2db521c5f5910889432a35a6af74c59ef4e6d79b8c8d61ea89848.sqlite
CREATE TABLE offers (
    id INTEGER PRIMARY KEY,
    object_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    attempt INTEGER NOT NULL
  );
INSERT INTO offers (id, object_id, number, attempt)
VALUES (1, '01a5c44709e5badb5d87d49ca32c307e81d417926454bb6e0d8affbfa59c3636', 3, 0);
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
-- object -handoffs/d33f4461970ea8bb93af45d59c9ac756b99b39c08aa9e71435c3a874a10eacff.sqlite
CREATE TABLE codes (
    code TEXT PRIMARY KEY,
    object_id TEXT NOT NULL,
    participant INTEGER NOT NULL,
    keep_until INTEGER NOT NULL
  ) WITHOUT ROWID;
INSERT INTO codes (code, object_id, participant, keep_until)
VALUES ('PEmPQI1PNmZu_n9lARdAh9E_5OTBDav8UJbxo3ygYjc', '01a5c44709e5badb5d87d49ca32c307e81d417926454bb6e0d8affbfa59c3636', 4, 6525207167892);
-- object /01a5c44709e5badb5d87d49ca32c307e81d417926454bb6e0d8affbfa59c3636.sqlite
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
VALUES (1, 'one', 29, 1, 1794807168703, 0, 1, 134, 'ca3ad0e3e8f56807e4060cb9e11afd4fe10dfaa31e99b0ed6f8efe11cd82e38b', '{"fieldMeta":{},"fields":{},"nextStep":{"body":"# Next","description":"Go on","stepsCompleted":[1,2]},"title":"Released: in_progress"}');
INSERT INTO checkpoints (number, name, seq, version, at, automatic, pinned, bytes, sha256, body)
VALUES (2, 'two', 32, 32, 1794807168779, 0, 0, 331, 'cf9bfe7a3ee3aac474a3e67f0df242972df9d314e8bcfb417dff83e9fd8ddc06', '{"fieldMeta":{"city":{"actor":{"id":"maker","kind":"agent","name":"Maker"},"at":"2026-11-16T05:32:48.737Z"},"count":{"actor":{"id":"maker","kind":"agent","name":"Maker"},"at":"2026-11-16T05:32:48.737Z"}},"fields":{"city":"Faro","count":3},"nextStep":{"body":"# Next","description":"Go on","stepsCompleted":[1,2]},"title":"Renamed"}');
INSERT INTO checkpoints (number, name, seq, version, at, automatic, pinned, bytes, sha256, body)
VALUES (3, '20261116-053248', 35, 32, 1794807168903, 1, 0, 331, 'cf9bfe7a3ee3aac474a3e67f0df242972df9d314e8bcfb417dff83e9fd8ddc06', '{"fieldMeta":{"city":{"actor":{"id":"maker","kind":"agent","name":"Maker"},"at":"2026-11-16T05:32:48.737Z"},"count":{"actor":{"id":"maker","kind":"agent","name":"Maker"},"at":"2026-11-16T05:32:48.737Z"}},"fields":{"city":"Faro","count":3},"nextStep":{"body":"# Next","description":"Go on","stepsCompleted":[1,2]},"title":"Renamed"}');
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
VALUES (1, 2, 1794807167892, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'draft', 1, 0, 0, '[[1,"USyc3oC1KvgupN9QWIxrtRfvYGYZ2ahKaYoCxfORa1Q"]]', NULL, NULL, '{"seq":1,"type":"session.created","at":"2026-11-16T05:32:47.892Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"title":"Released: in_progress","schema":{"type":"object","properties":{"city":{"type":"string","title":"City"},"count":{"type":"integer","minimum":0},"scan":{"type":"object","format":"file"}},"required":["city"]},"review":{"required":false,"approvals":1},"nextStep":{"description":"Go on","stepsCompleted":[1,2],"body":"# Next"},"expiresAt":"2126-10-23T05:32:47.892Z","retentionMs":1576800000000,"policy":null,"parent":null}}
{"seq":2,"type":"token.issued","at":"2026-11-16T05:32:47.892Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"participant":"par_1","tokenHash":"USyc3oC1Kvgu"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (3, 4, 1794807168277, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'draft', 1, 0, 0, '[[1,"FQU4ZXlXzkk5NWcAaTPnFg9_dAZTIuBOun8JeRhakco"],[2,"hIHxY6ltrjei8_PFX9dOocQG0gzmUeUtcuRB1u6OfY0"]]', NULL, NULL, '{"seq":3,"type":"handoff.created","at":"2026-11-16T05:32:48.277Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"handoffId":"hnd_2","participant":"par_2","madeBy":"par_1","to":"agent","scopes":["view","append","fill","handoff"],"note":"Yours"}}
{"seq":4,"type":"token.issued","at":"2026-11-16T05:32:48.277Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"participant":"par_2","tokenHash":"PUnnaAo14q_J"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (5, 6, 1794807168355, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'draft', 1, 0, 0, '[[1,"FggRfE1FxXc9XEcw1CWkjj-uj2mILe8eymgdO5xUg_4"],[3,"BaZZsyw8Lx-5ecvcYE6P-DvYiPCoap9Ztvu0vOgvSrg"]]', NULL, NULL, '{"seq":5,"type":"handoff.created","at":"2026-11-16T05:32:48.355Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"handoffId":"hnd_3","participant":"par_3","madeBy":"par_1","to":"agent","scopes":["view"],"note":"Yours"}}
{"seq":6,"type":"token.issued","at":"2026-11-16T05:32:48.355Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"participant":"par_3","tokenHash":"BaZZsyw8Lx-5"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (7, 8, 1794807168421, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'draft', 1, 0, 0, '[[1,"kNCrhdvOwbHZ3NjbYjmzLosgC6OIp8uibrIEytbKwz4"]]', NULL, NULL, '{"seq":7,"type":"handoff.revoked","at":"2026-11-16T05:32:48.421Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"participants":["par_3"],"outcome":"success"}}
{"seq":8,"type":"token.revoked","at":"2026-11-16T05:32:48.421Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"participant":"par_3","tokenHash":"BaZZsyw8Lx-5"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (9, 9, 1794807168509, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'draft', 1, 0, 0, '[[1,"RwFxi4OMnVAkN3iojPlkL6PmW90uZ7Wk5VV5Sha5W64"],[4,"tb8y9UVRiQgBUiRchrIZ_dyGDU5V527bhrLuW6LnK-s"]]', NULL, NULL, '{"seq":9,"type":"handoff.link_issued","at":"2026-11-16T05:32:48.509Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"handoffId":"hnd_4","participant":"par_4","madeBy":"par_1","to":"human","scopes":["view","append","fill"],"expiresAt":"2126-10-23T05:32:47.892Z","singleUse":false,"takeover":false}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (10, 29, 1794807168654, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'draft', 1, 1, 0, NULL, 'ggRINtWhZOcsm4_NZCiBanyV19WtSYBTDjtLBXL5d5U', 'LlMezG8hryUIRt1rOR6s8FmnjSwGiRmDj8DlNuKVY-c', '{"seq":10,"type":"agent.step","at":"2026-11-16T05:32:48.654Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"n":0}}
{"seq":11,"type":"agent.step","at":"2026-11-16T05:32:48.654Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"n":1}}
{"seq":12,"type":"agent.step","at":"2026-11-16T05:32:48.654Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"n":2}}
{"seq":13,"type":"agent.step","at":"2026-11-16T05:32:48.654Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"n":3}}
{"seq":14,"type":"agent.step","at":"2026-11-16T05:32:48.654Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"n":4}}
{"seq":15,"type":"agent.step","at":"2026-11-16T05:32:48.654Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"n":5}}
{"seq":16,"type":"agent.step","at":"2026-11-16T05:32:48.654Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"n":6}}
{"seq":17,"type":"agent.step","at":"2026-11-16T05:32:48.654Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"n":7}}
{"seq":18,"type":"agent.step","at":"2026-11-16T05:32:48.654Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"n":8}}
{"seq":19,"type":"agent.step","at":"2026-11-16T05:32:48.654Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"n":9}}
{"seq":20,"type":"agent.step","at":"2026-11-16T05:32:48.654Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"n":10}}
{"seq":21,"type":"agent.step","at":"2026-11-16T05:32:48.654Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"n":11}}
{"seq":22,"type":"agent.step","at":"2026-11-16T05:32:48.654Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"n":12}}
{"seq":23,"type":"agent.step","at":"2026-11-16T05:32:48.654Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"n":13}}
{"seq":24,"type":"agent.step","at":"2026-11-16T05:32:48.654Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"n":14}}
{"seq":25,"type":"agent.step","at":"2026-11-16T05:32:48.654Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"n":15}}
{"seq":26,"type":"agent.step","at":"2026-11-16T05:32:48.654Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"n":16}}
{"seq":27,"type":"agent.step","at":"2026-11-16T05:32:48.654Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"n":17}}
{"seq":28,"type":"agent.step","at":"2026-11-16T05:32:48.654Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"n":18}}
{"seq":29,"type":"agent.step","at":"2026-11-16T05:32:48.654Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"n":19}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (30, 30, 1794807168703, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'draft', 1, 0, 0, '[[1,"m9v48ffV6jkPa0UOpyvDbzWUjzfyUuGqZYx5n8QvSb8"]]', NULL, NULL, '{"seq":30,"type":"checkpoint.created","at":"2026-11-16T05:32:48.703Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"id":"chk_1","name":"one","seq":29,"version":1,"createdAt":"2026-11-16T05:32:48.703Z","automatic":false,"pinned":true,"bytes":134,"sha256":"ca3ad0e3e8f56807e4060cb9e11afd4fe10dfaa31e99b0ed6f8efe11cd82e38b","outcome":"success"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (31, 32, 1794807168737, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'in_progress', 32, 0, 0, '[[1,"-gj51RgbuMwIlEcPxW4kS-xc3wp5dt0PkGFOSoDZldQ"]]', NULL, NULL, '{"seq":31,"type":"fields.updated","at":"2026-11-16T05:32:48.737Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"in_progress","version":31,"payload":{"changes":[{"field":"city","to":"Faro"},{"field":"count","to":3}]}}
{"seq":32,"type":"session.updated","at":"2026-11-16T05:32:48.737Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"in_progress","version":32,"payload":{"title":"Renamed"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (33, 33, 1794807168779, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'in_progress', 32, 0, 0, '[[1,"RcU2nKxIShJQq2Mha6hpz5qAnBdaIHbjDLtt8uCw3ik"]]', NULL, NULL, '{"seq":33,"type":"checkpoint.created","at":"2026-11-16T05:32:48.779Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"in_progress","version":32,"payload":{"id":"chk_2","name":"two","seq":32,"version":32,"createdAt":"2026-11-16T05:32:48.779Z","automatic":false,"pinned":false,"bytes":331,"sha256":"cf9bfe7a3ee3aac474a3e67f0df242972df9d314e8bcfb417dff83e9fd8ddc06","outcome":"success"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (34, 34, 1794807168792, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'in_progress', 32, 0, 0, '[[1,"SmUNysHl8bsyDayoFvJMYcw55qN8lmbX9OrmfAGhvRw"]]', NULL, NULL, '{"seq":34,"type":"session.trimmed","at":"2026-11-16T05:32:48.792Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"in_progress","version":32,"payload":{"floor":29,"checkpoint":{"id":"chk_1","name":"one","seq":29},"outcome":"success"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (35, 35, 1794807168860, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'in_progress', 32, 0, 0, NULL, NULL, NULL, '{"seq":35,"type":"stop.reported","at":"2026-11-16T05:32:48.860Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"in_progress","version":32,"payload":{"reason":"completed","attempt":1,"decision":{"strategy":"none","resumeAt":null,"waitMs":0,"attempt":null,"why":"the work is done"},"failures":[],"outcome":"skipped"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (36, 37, 1794807168903, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'in_progress', 32, 0, 0, '[[1,"x8bThgU_MslmZRiMRHBO1fPtButf9yYsTutHAYOe5M4"]]', NULL, NULL, '{"seq":36,"type":"checkpoint.created","at":"2026-11-16T05:32:48.903Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"in_progress","version":32,"payload":{"id":"chk_3","name":"20261116-053248","seq":35,"version":32,"createdAt":"2026-11-16T05:32:48.903Z","automatic":true,"pinned":false,"bytes":331,"sha256":"cf9bfe7a3ee3aac474a3e67f0df242972df9d314e8bcfb417dff83e9fd8ddc06","outcome":"success"}}
{"seq":37,"type":"session.forked","at":"2026-11-16T05:32:48.903Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"in_progress","version":32,"payload":{"child":"ses_2wzDXP3e-7KRiySjNmdwOHSO9FxpGk-PKfhMvu8jePc","reason":"try another way","outcome":"success"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (38, 38, 1794807169058, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'in_progress', 32, 1, 0, NULL, NULL, NULL, '{"seq":38,"type":"job.submitted","at":"2026-11-16T05:32:49.058Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"in_progress","version":32,"payload":{"jobId":"job_AaXERwnluttdh9ScoywwfoHUF5JkVLtuDYr_v6WcNjYAAAAB","agent":"released-result","closePolicy":"keep"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (39, 39, 1794807169161, NULL, '{"kind":"agent","id":"released-result"}', 'in_progress', 32, 1, 0, NULL, NULL, NULL, '{"seq":39,"type":"job.started","at":"2026-11-16T05:32:49.161Z","actor":{"kind":"agent","id":"released-result"},"state":"in_progress","version":32,"payload":{"jobId":"job_AaXERwnluttdh9ScoywwfoHUF5JkVLtuDYr_v6WcNjYAAAAB","attempt":1,"leaseMs":60000}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (40, 40, 1794807169199, NULL, '{"kind":"agent","id":"released-result"}', 'in_progress', 32, 1, 1, NULL, NULL, NULL, '{"seq":40,"type":"job.event","at":"2026-11-16T05:32:49.199Z","actor":{"kind":"agent","id":"released-result"},"state":"in_progress","version":32,"payload":{"eventSeq":1,"jobId":"job_AaXERwnluttdh9ScoywwfoHUF5JkVLtuDYr_v6WcNjYAAAAB","kind":"log","body":{"line":"working"}}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (41, 41, 1794807169214, NULL, '{"kind":"agent","id":"released-result"}', 'in_progress', 32, 1, 2, NULL, NULL, NULL, '{"seq":41,"type":"job.result","at":"2026-11-16T05:32:49.214Z","actor":{"kind":"agent","id":"released-result"},"state":"in_progress","version":32,"payload":{"eventSeq":2,"jobId":"job_AaXERwnluttdh9ScoywwfoHUF5JkVLtuDYr_v6WcNjYAAAAB","finalStatus":"success","result":{"ok":true}}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (42, 42, 1794807169244, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'in_progress', 32, 1, 2, NULL, NULL, NULL, '{"seq":42,"type":"job.submitted","at":"2026-11-16T05:32:49.244Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"in_progress","version":32,"payload":{"jobId":"job_AaXERwnluttdh9ScoywwfoHUF5JkVLtuDYr_v6WcNjYAAAAC","agent":"released-error","closePolicy":"keep"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (43, 43, 1794807169282, NULL, '{"kind":"agent","id":"released-error"}', 'in_progress', 32, 1, 2, NULL, NULL, NULL, '{"seq":43,"type":"job.started","at":"2026-11-16T05:32:49.282Z","actor":{"kind":"agent","id":"released-error"},"state":"in_progress","version":32,"payload":{"jobId":"job_AaXERwnluttdh9ScoywwfoHUF5JkVLtuDYr_v6WcNjYAAAAC","attempt":1,"leaseMs":60000}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (44, 44, 1794807169340, NULL, '{"kind":"agent","id":"released-error"}', 'in_progress', 32, 1, 3, NULL, NULL, NULL, '{"seq":44,"type":"job.event","at":"2026-11-16T05:32:49.340Z","actor":{"kind":"agent","id":"released-error"},"state":"in_progress","version":32,"payload":{"eventSeq":3,"jobId":"job_AaXERwnluttdh9ScoywwfoHUF5JkVLtuDYr_v6WcNjYAAAAC","kind":"log","body":{"line":"working"}}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (45, 45, 1794807169355, NULL, '{"kind":"agent","id":"released-error"}', 'in_progress', 32, 1, 4, NULL, NULL, NULL, '{"seq":45,"type":"job.error","at":"2026-11-16T05:32:49.355Z","actor":{"kind":"agent","id":"released-error"},"state":"in_progress","version":32,"payload":{"eventSeq":4,"jobId":"job_AaXERwnluttdh9ScoywwfoHUF5JkVLtuDYr_v6WcNjYAAAAC","finalStatus":"error","code":"failed","message":"no","retryable":false,"outcome":"failure"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (46, 46, 1794807169400, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'in_progress', 32, 1, 4, NULL, NULL, NULL, '{"seq":46,"type":"job.submitted","at":"2026-11-16T05:32:49.400Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"in_progress","version":32,"payload":{"jobId":"job_AaXERwnluttdh9ScoywwfoHUF5JkVLtuDYr_v6WcNjYAAAAD","agent":"released-null","closePolicy":"keep"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (47, 47, 1794807169464, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'in_progress', 32, 0, 4, '[[1,"Ds3Rt7yT5tv5tshxe2relIb7ZDf3c-kTmVWKw2Erw5s"]]', NULL, NULL, '{"seq":47,"type":"session.paused","at":"2026-11-16T05:32:49.464Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"in_progress","version":32,"payload":{"outcome":"success","reason":"lunch"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (48, 49, 1794807169510, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'in_progress', 32, 0, 4, '[[1,"wL5z8uQP2eskHJ7hXpZU_sttmPO_5wwY6P_-cYr3Re8"]]', NULL, NULL, '{"seq":48,"type":"token.accessed","at":"2026-11-16T05:32:49.510Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"in_progress","version":32,"payload":{"participant":"par_1","tokenHash":"Ds3Rt7yT5tv5","by":"resume","auto":false}}
{"seq":49,"type":"token.issued","at":"2026-11-16T05:32:49.510Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"in_progress","version":32,"payload":{"participant":"par_1","tokenHash":"Yut-5Rm81Lkc"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (50, 50, 1794807169630, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'in_progress', 50, 0, 4, '[[1,"q9d-_x11tqH6e7ZQrtCY-R-GwkGs5B2g2VfQcsOw-h4"]]', NULL, NULL, '{"seq":50,"type":"fields.updated","at":"2026-11-16T05:32:49.630Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"in_progress","version":50,"payload":{"changes":[{"field":"city","from":"Faro","to":"Lisbon"},{"field":"note","to":"it''s “quoted”\nand in two lines 🎈"}]}}');
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
VALUES (1, 'success', NULL, 'EFYzCT2uDTOSpA3Nwg2yCF0OBR3kRTD9CBxdL_BkH0U', 'CZ3-LxALeLd2HlKkmQIUYR2b-mZJciFeOVpeHZzlR-Q', '{"number":1,"agent":"released-result","version":null,"status":"success","createdBy":1,"createdAt":1794807169058,"closePolicy":"keep","maxRuntimeMs":null,"lease":null,"leaseUntil":null,"traceId":null,"tokens":["xfmk6I_t33Lxco9vh12k_0qm9NIqoqGECNZBiPlzLcM"],"leaseMs":60000,"leaseExpiresAt":1794807229199,"startedAt":1794807169161,"endedAt":1794807169214,"offered":true,"lastEventSeq":2,"outcome":{},"lastBatch":null}', '{"ok":true}', '{"ask":"result"}');
INSERT INTO jobs (number, status, due_at, key, request, record, result, input)
VALUES (2, 'error', NULL, 'mkE2-8Vh5N_31n42rhc4qJjEd6H-z03XNvl0G4pLcyo', 'fJmKTvoZu-R6jBOikog97xl6etNgI8hnsx8CPXKnsqU', '{"number":2,"agent":"released-error","version":null,"status":"error","createdBy":1,"createdAt":1794807169244,"closePolicy":"keep","maxRuntimeMs":null,"lease":null,"leaseUntil":null,"traceId":null,"tokens":["-Co8zLwnHCuhzQcUkFYCLCZbezG7XhARl_Zh1NsDOC8"],"leaseMs":60000,"leaseExpiresAt":1794807229340,"startedAt":1794807169282,"endedAt":1794807169355,"offered":true,"lastEventSeq":4,"outcome":{"error":{"code":"failed","message":"no","retryable":false}},"lastBatch":null}', NULL, '{"ask":"error"}');
INSERT INTO jobs (number, status, due_at, key, request, record, result, input)
VALUES (3, 'pending', NULL, 'shuhuxWepoQqZdwxkbmLwSKBg6y0PkCx-hu69ZB6jZo', 'G18MkBJx1luo6wk1wwbBf8feeprDvqZYnl5EZUZJYZY', '{"number":3,"agent":"released-null","version":null,"status":"pending","createdBy":1,"createdAt":1794807169400,"closePolicy":"keep","maxRuntimeMs":null,"lease":null,"leaseUntil":null,"traceId":null,"tokens":[],"leaseMs":0,"leaseExpiresAt":null,"startedAt":null,"endedAt":null,"offered":true,"lastEventSeq":0,"outcome":null,"lastBatch":null}', NULL, '{"ask":null}');
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
VALUES (1, 1, 'in_progress', 1, 50, 'Renamed', '{"city":"Lisbon","count":3,"note":"it''s “quoted”\nand in two lines 🎈"}', '{"city":{"actor":{"kind":"agent","id":"maker","name":"Maker"},"at":"2026-11-16T05:32:49.630Z"},"count":{"actor":{"kind":"agent","id":"maker","name":"Maker"},"at":"2026-11-16T05:32:48.737Z"},"note":{"actor":{"kind":"agent","id":"maker","name":"Maker"},"at":"2026-11-16T05:32:49.630Z"}}', '{"required":false,"approvals":1,"approvedBy":[]}', '{"description":"Go on","stepsCompleted":[1,2],"body":"# Next"}', '{"type":"object","properties":{"city":{"type":"string","title":"City"},"count":{"type":"integer","minimum":0},"scan":{"type":"object","format":"file"}},"required":["city"]}', '2026-11-16T05:32:47.892Z', '{"kind":"agent","id":"maker","name":"Maker"}', '2026-11-16T05:32:49.630Z', '{"kind":"agent","id":"maker","name":"Maker"}', 4948407167892, 1576800000000, NULL, NULL, NULL, '[3]', '{"resumeAt":null,"attempt":null,"failures":[],"suspended":false,"lastStopSeq":35}', '[{"sessionId":"ses_2wzDXP3e-7KRiySjNmdwOHSO9FxpGk-PKfhMvu8jePc","seq":37}]', 3, '{"floor":29,"checkpoint":{"id":"chk_1","name":"one","seq":29}}', '[{"number":1,"actor":{"kind":"agent","id":"maker","name":"Maker"},"scopes":["view","append","fill","handoff","own"],"madeBy":null,"note":null,"createdAt":1794807167892,"expiresAt":null,"tokenSeq":50,"tokenHash":"q9d-_x11tqH6e7ZQrtCY-R-GwkGs5B2g2VfQcsOw-h4","fenceSeq":48,"seenVersion":50,"cursor":49,"filled":true,"last":{"consumed":"wL5z8uQP2eskHJ7hXpZU_sttmPO_5wwY6P_-cYr3Re8","request":"b25yNQ46xlp4lJ_snIMzDKid2vmdzqnbaeQP6Emh7Vc","outcome":{"issuedSeq":50},"sealed":"QLYQYU4X3mEurZjI-ageuA5TB9tlhZkp_t35_XRFHkGkz8yNxrHd9RZI3Fsmb1rf8u0LsA"}},{"number":2,"actor":{"kind":"agent","id":"agent-2"},"scopes":["view","append","fill","handoff"],"madeBy":1,"note":"Yours","createdAt":1794807168277,"expiresAt":null,"tokenSeq":3,"tokenHash":"hIHxY6ltrjei8_PFX9dOocQG0gzmUeUtcuRB1u6OfY0","fenceSeq":3,"seenVersion":1,"cursor":4,"filled":false,"last":null},{"number":3,"actor":{"kind":"agent","id":"agent-3"},"scopes":["view"],"madeBy":1,"note":"Yours","createdAt":1794807168355,"expiresAt":null,"tokenSeq":5,"tokenHash":"BaZZsyw8Lx-5ecvcYE6P-DvYiPCoap9Ztvu0vOgvSrg","fenceSeq":5,"seenVersion":1,"cursor":6,"filled":false,"last":null},{"number":4,"actor":{"kind":"human","id":"person-4"},"scopes":["view","append","fill"],"madeBy":1,"note":null,"createdAt":1794807168509,"expiresAt":4948407167892,"tokenSeq":9,"tokenHash":"tb8y9UVRiQgBUiRchrIZ_dyGDU5V527bhrLuW6LnK-s","fenceSeq":9,"seenVersion":1,"cursor":9,"filled":false,"link":{"code":"PEmPQI1PNmZu_n9lARdAh9E_5OTBDav8UJbxo3ygYjc","singleUse":false,"takeover":false,"isListed":true,"openedAt":null},"last":null}]', NULL, NULL, NULL);
-- object /0228a58425d8c8717f103e9e775d640bf9355bd78368acb2a0a970cc21ac2483.sqlite
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
VALUES (1, 2, 1794807171481, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'draft', 1, 0, 0, '[[1,"DbsCGWFPd4A0kIzmWzeOARN_6W3ZPm-sevUIswnWyfU"]]', NULL, NULL, '{"seq":1,"type":"session.created","at":"2026-11-16T05:32:51.481Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"title":"Released: expired","schema":null,"review":{"required":false,"approvals":1},"nextStep":null,"expiresAt":"2026-11-16T05:32:52.481Z","retentionMs":1576800000000,"policy":null,"parent":null}}
{"seq":2,"type":"token.issued","at":"2026-11-16T05:32:51.481Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"participant":"par_1","tokenHash":"SMZAe3CLvPP-"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (3, 4, 1794807172484, NULL, '{"kind":"system","id":"baton"}', 'expired', 3, 0, 0, NULL, NULL, NULL, '{"seq":3,"type":"session.expired","at":"2026-11-16T05:32:52.484Z","actor":{"kind":"system","id":"baton"},"state":"expired","version":3,"payload":{"expiresAt":"2026-11-16T05:32:52.481Z"}}
{"seq":4,"type":"token.expired","at":"2026-11-16T05:32:52.484Z","actor":{"kind":"system","id":"baton"},"state":"expired","version":3,"payload":{"participant":"par_1","tokenHash":"SMZAe3CLvPP-"}}');
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
VALUES (1, 1, 'expired', 0, 3, 'Released: expired', '{}', '{}', '{"required":false,"approvals":1,"approvedBy":[]}', NULL, NULL, '2026-11-16T05:32:51.481Z', '{"kind":"agent","id":"maker","name":"Maker"}', '2026-11-16T05:32:52.484Z', '{"kind":"system","id":"baton"}', 1794807172481, 1576800000000, NULL, NULL, NULL, '[]', '{"resumeAt":null,"attempt":null,"failures":[],"suspended":false,"lastStopSeq":null}', '[]', 0, NULL, '[{"number":1,"actor":{"kind":"agent","id":"maker","name":"Maker"},"scopes":["view","append","fill","handoff","own"],"madeBy":null,"note":null,"createdAt":1794807171481,"expiresAt":null,"tokenSeq":1,"tokenHash":"DbsCGWFPd4A0kIzmWzeOARN_6W3ZPm-sevUIswnWyfU","fenceSeq":1,"seenVersion":1,"cursor":2,"filled":true,"last":null}]', NULL, NULL, NULL);
-- object /128a9b96317f8eb98d940cc2a4706d14d01d96f8e6849a6a6771177b8d92be81.sqlite
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
VALUES (1, 2, 1794807169667, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'draft', 1, 0, 0, '[[1,"7jGdOGlY4iXeNDQ8H63HPwEkAGi-RhMp1IpjwmUbwEU"]]', NULL, NULL, '{"seq":1,"type":"session.created","at":"2026-11-16T05:32:49.667Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"title":"Released: awaiting_input","schema":{"type":"object","properties":{"city":{"type":"string","title":"City"},"count":{"type":"integer","minimum":0},"scan":{"type":"object","format":"file"}},"required":["city"]},"review":{"required":false,"approvals":1},"nextStep":null,"expiresAt":"2126-10-23T05:32:49.667Z","retentionMs":1576800000000,"policy":null,"parent":null}}
{"seq":2,"type":"token.issued","at":"2026-11-16T05:32:49.667Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"participant":"par_1","tokenHash":"7jGdOGlY4iXe"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (3, 3, 1794807169707, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'awaiting_input', 3, 0, 0, '[[1,"SIwZ4MmNkkfI0FGwis6Qhm-ujlU5jmKB9XzllxmoNMQ"]]', NULL, NULL, '{"seq":3,"type":"session.input_requested","at":"2026-11-16T05:32:49.707Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"awaiting_input","version":3,"payload":{"note":"Which city?","fields":["city"]}}');
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
VALUES (1, 1, 'awaiting_input', 0, 3, 'Released: awaiting_input', '{}', '{}', '{"required":false,"approvals":1,"approvedBy":[]}', NULL, '{"type":"object","properties":{"city":{"type":"string","title":"City"},"count":{"type":"integer","minimum":0},"scan":{"type":"object","format":"file"}},"required":["city"]}', '2026-11-16T05:32:49.667Z', '{"kind":"agent","id":"maker","name":"Maker"}', '2026-11-16T05:32:49.707Z', '{"kind":"agent","id":"maker","name":"Maker"}', 4948407169667, 1576800000000, NULL, NULL, NULL, '[]', '{"resumeAt":null,"attempt":null,"failures":[],"suspended":false,"lastStopSeq":null}', '[]', 0, NULL, '[{"number":1,"actor":{"kind":"agent","id":"maker","name":"Maker"},"scopes":["view","append","fill","handoff","own"],"madeBy":null,"note":null,"createdAt":1794807169667,"expiresAt":null,"tokenSeq":3,"tokenHash":"SIwZ4MmNkkfI0FGwis6Qhm-ujlU5jmKB9XzllxmoNMQ","fenceSeq":1,"seenVersion":3,"cursor":2,"filled":true,"last":{"consumed":"7jGdOGlY4iXeNDQ8H63HPwEkAGi-RhMp1IpjwmUbwEU","request":null,"outcome":{"issuedSeq":3},"sealed":null}}]', NULL, NULL, NULL);
-- object /20e78854288efcba65f7a17d35c6883a1c2c0be71ad6eef9942bedfd52c9da55.sqlite
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
VALUES (1, 2, 1794807171075, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'draft', 1, 0, 0, '[[1,"3deOIqgu7r-vwrvUuuUk67N4SPfQZRs-exYczxmG-AA"]]', NULL, NULL, '{"seq":1,"type":"session.created","at":"2026-11-16T05:32:51.075Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"title":"Released: finalized","schema":null,"review":{"required":false,"approvals":1},"nextStep":null,"expiresAt":"2126-10-23T05:32:51.075Z","retentionMs":1576800000000,"policy":null,"parent":null}}
{"seq":2,"type":"token.issued","at":"2026-11-16T05:32:51.075Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"participant":"par_1","tokenHash":"3deOIqgu7r-v"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (3, 3, 1794807171085, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'submitted', 3, 0, 0, '[[1,"L2PrXCIcSd_4MVbL7oRqYxnkK-Ngmvxz3TnguaH4jW4"]]', NULL, NULL, '{"seq":3,"type":"session.submitted","at":"2026-11-16T05:32:51.085Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"submitted","version":3,"payload":{}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (4, 4, 1794807171103, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'finalized', 4, 0, 0, '[[1,"Qr1jexbYjoO4pVj-cGykrNJ1nPGCkAecMlzefR4INJ4"]]', NULL, NULL, '{"seq":4,"type":"session.finalized","at":"2026-11-16T05:32:51.103Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"finalized","version":4,"payload":{"reason":"Done"}}');
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
VALUES (1, 1, 'finalized', 0, 4, 'Released: finalized', '{}', '{}', '{"required":false,"approvals":1,"approvedBy":[]}', NULL, NULL, '2026-11-16T05:32:51.075Z', '{"kind":"agent","id":"maker","name":"Maker"}', '2026-11-16T05:32:51.103Z', '{"kind":"agent","id":"maker","name":"Maker"}', 4948407171075, 1576800000000, NULL, NULL, 1794807171103, '[]', '{"resumeAt":null,"attempt":null,"failures":[],"suspended":false,"lastStopSeq":null}', '[]', 0, NULL, '[{"number":1,"actor":{"kind":"agent","id":"maker","name":"Maker"},"scopes":["view","append","fill","handoff","own"],"madeBy":null,"note":null,"createdAt":1794807171075,"expiresAt":null,"tokenSeq":4,"tokenHash":"Qr1jexbYjoO4pVj-cGykrNJ1nPGCkAecMlzefR4INJ4","fenceSeq":1,"seenVersion":4,"cursor":2,"filled":true,"last":{"consumed":"L2PrXCIcSd_4MVbL7oRqYxnkK-Ngmvxz3TnguaH4jW4","request":null,"outcome":{"issuedSeq":4},"sealed":null}}]', NULL, NULL, NULL);
-- object /2a48bd7dce88752b9296d4b965f654fcb53910cfce445fe2e3447de9bc15f718.sqlite
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
VALUES (1, 2, 1794807167507, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'draft', 1, 0, 0, '[[1,"p-2SsuYFeA_zcHiFsoFHerlg9PCc5hGJK2V3pePi9IE"]]', NULL, NULL, '{"seq":1,"type":"session.created","at":"2026-11-16T05:32:47.507Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"title":"Released: draft","schema":null,"review":{"required":false,"approvals":1},"nextStep":null,"expiresAt":"2126-10-23T05:32:47.507Z","retentionMs":1576800000000,"policy":{"maxAttempts":3,"keepCheckpoints":4},"parent":null}}
{"seq":2,"type":"token.issued","at":"2026-11-16T05:32:47.507Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"participant":"par_1","tokenHash":"8SlCSA0p2JnA"}}');
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
VALUES (1, 1, 'draft', 0, 1, 'Released: draft', '{}', '{}', '{"required":false,"approvals":1,"approvedBy":[]}', NULL, NULL, '2026-11-16T05:32:47.507Z', '{"kind":"agent","id":"maker","name":"Maker"}', '2026-11-16T05:32:47.507Z', '{"kind":"agent","id":"maker","name":"Maker"}', 4948407167507, 1576800000000, '{"maxAttempts":3,"keepCheckpoints":4}', NULL, NULL, '[]', '{"resumeAt":null,"attempt":null,"failures":[],"suspended":false,"lastStopSeq":null}', '[]', 0, NULL, '[{"number":1,"actor":{"kind":"agent","id":"maker","name":"Maker"},"scopes":["view","append","fill","handoff","own"],"madeBy":null,"note":null,"createdAt":1794807167507,"expiresAt":null,"tokenSeq":1,"tokenHash":"p-2SsuYFeA_zcHiFsoFHerlg9PCc5hGJK2V3pePi9IE","fenceSeq":1,"seenVersion":1,"cursor":2,"filled":true,"last":null}]', NULL, NULL, NULL);
-- object /3d24ce2d0adad74cf323da02c56c492a10afd6ac4a9b8cb8ad4f777653f8cb5f.sqlite
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
VALUES (1, 2, 1794807169728, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'draft', 1, 0, 0, '[[1,"Xx-fNn9eZh3syg1amR2W8KiGksZW0ifNOa8IxthB6q4"]]', NULL, NULL, '{"seq":1,"type":"session.created","at":"2026-11-16T05:32:49.728Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"title":"Released: awaiting_upload","schema":{"type":"object","properties":{"city":{"type":"string","title":"City"},"count":{"type":"integer","minimum":0},"scan":{"type":"object","format":"file"}},"required":["city"]},"review":{"required":false,"approvals":1},"nextStep":null,"expiresAt":"2126-10-23T05:32:49.728Z","retentionMs":1576800000000,"policy":null,"parent":null}}
{"seq":2,"type":"token.issued","at":"2026-11-16T05:32:49.728Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"participant":"par_1","tokenHash":"Xx-fNn9eZh3s"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (3, 3, 1794807169762, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'awaiting_upload', 3, 0, 0, '[[1,"yq370_QqaFRV0At7MP6sE75S30lfcjzOxwgR0CsQ-ZQ"]]', NULL, NULL, '{"seq":3,"type":"upload.requested","at":"2026-11-16T05:32:49.762Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"awaiting_upload","version":3,"payload":{"upload":"upl_1","field":"scan","name":"scan.txt","type":"text/plain","size":5}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (4, 5, 1794807170217, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'in_progress', 5, 0, 0, '[[1,"jQw4KOgwEaZPR3HH_vSZOdSLhrhi-PpYMBBMx5INW64"]]', NULL, NULL, '{"seq":4,"type":"upload.confirmed","at":"2026-11-16T05:32:50.217Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"in_progress","version":4,"payload":{"upload":"upl_1","field":"scan","name":"scan.txt","type":"text/plain","size":5,"sha256":"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"}}
{"seq":5,"type":"fields.updated","at":"2026-11-16T05:32:50.217Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"in_progress","version":5,"payload":{"changes":[{"field":"scan","to":{"id":"upl_1","name":"scan.txt","type":"text/plain","size":5,"sha256":"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"}}]}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (6, 6, 1794807170238, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'awaiting_upload', 6, 0, 0, '[[1,"4IwIENXBTQCfINtJ7jPyCD2U8BfJTapvE56hwU1OMyU"]]', NULL, NULL, '{"seq":6,"type":"upload.requested","at":"2026-11-16T05:32:50.238Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"awaiting_upload","version":6,"payload":{"upload":"upl_2","field":"scan","name":"second.txt","type":"text/plain","size":5}}');
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
VALUES (1, 1, 'awaiting_upload', 0, 6, 'Released: awaiting_upload', '{"scan":{"id":"upl_1","name":"scan.txt","type":"text/plain","size":5,"sha256":"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"}}', '{"scan":{"actor":{"kind":"agent","id":"maker","name":"Maker"},"at":"2026-11-16T05:32:50.217Z"}}', '{"required":false,"approvals":1,"approvedBy":[]}', NULL, '{"type":"object","properties":{"city":{"type":"string","title":"City"},"count":{"type":"integer","minimum":0},"scan":{"type":"object","format":"file"}},"required":["city"]}', '2026-11-16T05:32:49.728Z', '{"kind":"agent","id":"maker","name":"Maker"}', '2026-11-16T05:32:50.238Z', '{"kind":"agent","id":"maker","name":"Maker"}', 4948407169728, 1576800000000, NULL, NULL, NULL, '[]', '{"resumeAt":null,"attempt":null,"failures":[],"suspended":false,"lastStopSeq":null}', '[]', 0, NULL, '[{"number":1,"actor":{"kind":"agent","id":"maker","name":"Maker"},"scopes":["view","append","fill","handoff","own"],"madeBy":null,"note":null,"createdAt":1794807169728,"expiresAt":null,"tokenSeq":6,"tokenHash":"4IwIENXBTQCfINtJ7jPyCD2U8BfJTapvE56hwU1OMyU","fenceSeq":1,"seenVersion":6,"cursor":2,"filled":true,"last":{"consumed":"jQw4KOgwEaZPR3HH_vSZOdSLhrhi-PpYMBBMx5INW64","request":null,"outcome":{"upload":{"id":"upl_2","field":"scan","name":"second.txt","type":"text/plain","size":5,"sha256":null,"status":"pending","requestedAt":"2026-11-16T05:32:50.238Z"},"issuedSeq":6},"sealed":null}}]', NULL, NULL, NULL);
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
VALUES (1, 'scan', 'scan.txt', 'text/plain', 5, '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824', 'confirmed', 1794807169762, '{"key":"3d24ce2d0adad74cf323da02c56c492a10afd6ac4a9b8cb8ad4f777653f8cb5f/1/e14c1d88-12d6-4afe-afc3-8b4cba76f7d5","size":5,"sha256":"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"}');
INSERT INTO uploads (number, field, name, type, size, sha256, status, requested_at, stored)
VALUES (2, 'scan', 'second.txt', 'text/plain', 5, NULL, 'pending', 1794807170238, NULL);
-- object /77fe349b785b149536e24a9f0d64befb0130b830ce1be9d392f69548d24f6896.sqlite
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
VALUES (1, 2, 1794807170325, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'draft', 1, 0, 0, '[[1,"iG3jvBf7U53VDCWel_pjs90w9xUhZbETs3y3CmZg7xo"]]', NULL, NULL, '{"seq":1,"type":"session.created","at":"2026-11-16T05:32:50.325Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"title":"Released: submitted","schema":null,"review":{"required":false,"approvals":1},"nextStep":null,"expiresAt":"2126-10-23T05:32:50.325Z","retentionMs":1576800000000,"policy":null,"parent":null}}
{"seq":2,"type":"token.issued","at":"2026-11-16T05:32:50.325Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"participant":"par_1","tokenHash":"iG3jvBf7U53V"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (3, 3, 1794807170402, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'submitted', 3, 0, 0, '[[1,"DGsQ_phEhmaowFwYEoHFtaa4axU9I-V_6FscvL9mimg"]]', NULL, NULL, '{"seq":3,"type":"session.submitted","at":"2026-11-16T05:32:50.402Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"submitted","version":3,"payload":{}}');
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
VALUES (1, 1, 'submitted', 0, 3, 'Released: submitted', '{}', '{}', '{"required":false,"approvals":1,"approvedBy":[]}', NULL, NULL, '2026-11-16T05:32:50.325Z', '{"kind":"agent","id":"maker","name":"Maker"}', '2026-11-16T05:32:50.402Z', '{"kind":"agent","id":"maker","name":"Maker"}', 4948407170325, 1576800000000, NULL, NULL, NULL, '[]', '{"resumeAt":null,"attempt":null,"failures":[],"suspended":false,"lastStopSeq":null}', '[]', 0, NULL, '[{"number":1,"actor":{"kind":"agent","id":"maker","name":"Maker"},"scopes":["view","append","fill","handoff","own"],"madeBy":null,"note":null,"createdAt":1794807170325,"expiresAt":null,"tokenSeq":3,"tokenHash":"DGsQ_phEhmaowFwYEoHFtaa4axU9I-V_6FscvL9mimg","fenceSeq":1,"seenVersion":3,"cursor":2,"filled":true,"last":{"consumed":"iG3jvBf7U53VDCWel_pjs90w9xUhZbETs3y3CmZg7xo","request":null,"outcome":{"issuedSeq":3},"sealed":null}}]', NULL, NULL, NULL);
-- object /9d1528ecebf444ccdb7e338af5e175402ed48644d44a99322ef1eb2bd87d2a9a.sqlite
CREATE TABLE tombstone (purged_at INTEGER PRIMARY KEY);
INSERT INTO tombstone (purged_at)
VALUES (1794807171772);
-- object /b51b6aa0df3778d1a330de355fa7ef6513620be2720ca5261ca0e458b1ded605.sqlite
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
VALUES (1, 2, 1794807171125, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'draft', 1, 0, 0, '[[1,"P7L_rdVjxBfvbfnQhXcwhqVcqV3yR8BmbylHQT3N9Jo"]]', NULL, NULL, '{"seq":1,"type":"session.created","at":"2026-11-16T05:32:51.125Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"title":"Released: rejected","schema":{"type":"object","properties":{"city":{"type":"string","title":"City"},"count":{"type":"integer","minimum":0},"scan":{"type":"object","format":"file"}},"required":["city"]},"review":{"required":true,"approvals":1},"nextStep":null,"expiresAt":"2126-10-23T05:32:51.125Z","retentionMs":1576800000000,"policy":null,"parent":null}}
{"seq":2,"type":"token.issued","at":"2026-11-16T05:32:51.125Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"participant":"par_1","tokenHash":"P7L_rdVjxBfv"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (3, 3, 1794807171154, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'in_progress', 3, 0, 0, '[[1,"S_5W5OZGxA48gKcqsaDG24z7cVABi2iES2Tw28vi5s4"]]', NULL, NULL, '{"seq":3,"type":"fields.updated","at":"2026-11-16T05:32:51.154Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"in_progress","version":3,"payload":{"changes":[{"field":"city","to":"Porto"}],"confidence":{"city":0.5}}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (4, 4, 1794807171190, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'needs_review', 4, 0, 0, '[[1,"Q3Y6Fp0dcDsEAUD4wsCDn2KdGuAtmJ-sg7tY115SJtg"]]', NULL, NULL, '{"seq":4,"type":"session.submitted","at":"2026-11-16T05:32:51.190Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"needs_review","version":4,"payload":{}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (5, 6, 1794807171203, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'needs_review', 4, 0, 0, '[[1,"h7W9mflNk3ror43KalBD2S-BDerBtkhO0CX6TqMj0nI"],[2,"UrJszvU7sOVk9qkSF2Bx1MWuj4ToQ2166dgqWCccsG0"]]', NULL, NULL, '{"seq":5,"type":"handoff.created","at":"2026-11-16T05:32:51.203Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"needs_review","version":4,"payload":{"handoffId":"hnd_2","participant":"par_2","madeBy":"par_1","to":"agent","scopes":["view","review"],"note":"Yours"}}
{"seq":6,"type":"token.issued","at":"2026-11-16T05:32:51.203Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"needs_review","version":4,"payload":{"participant":"par_2","tokenHash":"UrJszvU7sOVk"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (7, 7, 1794807171254, 2, '{"kind":"agent","id":"agent-2"}', 'rejected', 7, 0, 0, '[[2,"GLLzveBjZff3DvoApapEYBxWvH64rUysEgEl0Bohiao"]]', NULL, NULL, '{"seq":7,"type":"review.rejected","at":"2026-11-16T05:32:51.254Z","actor":{"kind":"agent","id":"agent-2"},"state":"rejected","version":7,"payload":{"reason":"No"}}');
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
VALUES (1, 1, 'rejected', 0, 7, 'Released: rejected', '{"city":"Porto"}', '{"city":{"actor":{"kind":"agent","id":"maker","name":"Maker"},"at":"2026-11-16T05:32:51.154Z","confidence":0.5}}', '{"required":true,"approvals":1,"approvedBy":[],"rejectedBecause":"No"}', NULL, '{"type":"object","properties":{"city":{"type":"string","title":"City"},"count":{"type":"integer","minimum":0},"scan":{"type":"object","format":"file"}},"required":["city"]}', '2026-11-16T05:32:51.125Z', '{"kind":"agent","id":"maker","name":"Maker"}', '2026-11-16T05:32:51.254Z', '{"kind":"agent","id":"agent-2"}', 4948407171125, 1576800000000, NULL, NULL, 1794807171254, '[]', '{"resumeAt":null,"attempt":null,"failures":[],"suspended":false,"lastStopSeq":null}', '[]', 0, NULL, '[{"number":1,"actor":{"kind":"agent","id":"maker","name":"Maker"},"scopes":["view","append","fill","handoff","own"],"madeBy":null,"note":null,"createdAt":1794807171125,"expiresAt":null,"tokenSeq":5,"tokenHash":"h7W9mflNk3ror43KalBD2S-BDerBtkhO0CX6TqMj0nI","fenceSeq":1,"seenVersion":4,"cursor":2,"filled":true,"last":{"consumed":"Q3Y6Fp0dcDsEAUD4wsCDn2KdGuAtmJ-sg7tY115SJtg","request":null,"outcome":{"participant":2,"issuedSeq":5},"sealed":null}},{"number":2,"actor":{"kind":"agent","id":"agent-2"},"scopes":["view","review"],"madeBy":1,"note":"Yours","createdAt":1794807171203,"expiresAt":null,"tokenSeq":7,"tokenHash":"GLLzveBjZff3DvoApapEYBxWvH64rUysEgEl0Bohiao","fenceSeq":5,"seenVersion":7,"cursor":6,"filled":false,"last":{"consumed":"UrJszvU7sOVk9qkSF2Bx1MWuj4ToQ2166dgqWCccsG0","request":null,"outcome":{"issuedSeq":7},"sealed":null}}]', NULL, NULL, NULL);
-- object /c01580f7dfce70255c0ba145e328d6aa6e5514478c1b0dbcfbc9c92cedfc04b4.sqlite
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
VALUES (1, 2, 1794807171329, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'draft', 1, 0, 0, '[[1,"3mCyhty52NLzkTKy4ov1j40y0dEMy18vd8LCKi4R9vs"]]', NULL, NULL, '{"seq":1,"type":"session.created","at":"2026-11-16T05:32:51.329Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"title":"Released: cancelled","schema":null,"review":{"required":false,"approvals":1},"nextStep":null,"expiresAt":"2126-10-23T05:32:51.329Z","retentionMs":1576800000000,"policy":null,"parent":null}}
{"seq":2,"type":"token.issued","at":"2026-11-16T05:32:51.329Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"participant":"par_1","tokenHash":"3mCyhty52NLz"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (3, 3, 1794807171383, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'cancelled', 3, 0, 0, '[[1,"fT64DWcgfBMu89Y2XpUdfv57UM1rLx5TkaPWF561WQY"]]', NULL, NULL, '{"seq":3,"type":"session.cancelled","at":"2026-11-16T05:32:51.383Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"cancelled","version":3,"payload":{"reason":"Enough"}}');
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
VALUES (1, 1, 'cancelled', 0, 3, 'Released: cancelled', '{}', '{}', '{"required":false,"approvals":1,"approvedBy":[]}', NULL, NULL, '2026-11-16T05:32:51.329Z', '{"kind":"agent","id":"maker","name":"Maker"}', '2026-11-16T05:32:51.383Z', '{"kind":"agent","id":"maker","name":"Maker"}', 4948407171329, 1576800000000, NULL, NULL, 1794807171383, '[]', '{"resumeAt":null,"attempt":null,"failures":[],"suspended":false,"lastStopSeq":null}', '[]', 0, NULL, '[{"number":1,"actor":{"kind":"agent","id":"maker","name":"Maker"},"scopes":["view","append","fill","handoff","own"],"madeBy":null,"note":null,"createdAt":1794807171329,"expiresAt":null,"tokenSeq":3,"tokenHash":"fT64DWcgfBMu89Y2XpUdfv57UM1rLx5TkaPWF561WQY","fenceSeq":1,"seenVersion":3,"cursor":2,"filled":true,"last":{"consumed":"3mCyhty52NLzkTKy4ov1j40y0dEMy18vd8LCKi4R9vs","request":null,"outcome":{"issuedSeq":3},"sealed":null}}]', NULL, NULL, NULL);
-- object /db0cc35cfddefbb2918b24a336677038748ef45c691a4f8f29f84cbeef2378f7.sqlite
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
VALUES (1, 2, 1794807168955, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'in_progress', 1, 0, 0, '[[1,"OsE_BOoJFE07nXm4xDhtBx8GDMcnEdiGGEjrBqJEGN0"]]', NULL, NULL, '{"seq":1,"type":"session.created","at":"2026-11-16T05:32:48.955Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"in_progress","version":1,"payload":{"title":"Renamed","schema":{"type":"object","properties":{"city":{"type":"string","title":"City"},"count":{"type":"integer","minimum":0},"scan":{"type":"object","format":"file"}},"required":["city"]},"review":{"required":false,"approvals":1},"nextStep":{"description":"Go on","stepsCompleted":[1,2],"body":"# Next"},"expiresAt":"2126-10-23T05:32:48.955Z","retentionMs":1576800000000,"policy":null,"parent":{"sessionId":"ses_AaXERwnluttdh9ScoywwfoHUF5JkVLtuDYr_v6WcNjY","seq":35,"reason":"try another way"},"document":{"fields":{"city":"Faro","count":3},"fieldMeta":{"city":{"actor":{"kind":"agent","id":"maker","name":"Maker"},"at":"2026-11-16T05:32:48.737Z"},"count":{"actor":{"kind":"agent","id":"maker","name":"Maker"},"at":"2026-11-16T05:32:48.737Z"}}}}}
{"seq":2,"type":"token.issued","at":"2026-11-16T05:32:48.955Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"in_progress","version":1,"payload":{"participant":"par_1","tokenHash":"OsE_BOoJFE07"}}');
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
VALUES (1, 1, 'in_progress', 0, 1, 'Renamed', '{"city":"Faro","count":3}', '{"city":{"actor":{"kind":"agent","id":"maker","name":"Maker"},"at":"2026-11-16T05:32:48.737Z"},"count":{"actor":{"kind":"agent","id":"maker","name":"Maker"},"at":"2026-11-16T05:32:48.737Z"}}', '{"required":false,"approvals":1,"approvedBy":[]}', '{"description":"Go on","stepsCompleted":[1,2],"body":"# Next"}', '{"type":"object","properties":{"city":{"type":"string","title":"City"},"count":{"type":"integer","minimum":0},"scan":{"type":"object","format":"file"}},"required":["city"]}', '2026-11-16T05:32:48.955Z', '{"kind":"agent","id":"maker","name":"Maker"}', '2026-11-16T05:32:48.955Z', '{"kind":"agent","id":"maker","name":"Maker"}', 4948407168955, 1576800000000, NULL, '{"sessionId":"ses_AaXERwnluttdh9ScoywwfoHUF5JkVLtuDYr_v6WcNjY","seq":35,"reason":"try another way"}', NULL, '[]', '{"resumeAt":null,"attempt":null,"failures":[],"suspended":false,"lastStopSeq":null}', '[]', 0, NULL, '[{"number":1,"actor":{"kind":"agent","id":"maker","name":"Maker"},"scopes":["view","append","fill","handoff","own"],"madeBy":null,"note":null,"createdAt":1794807168955,"expiresAt":null,"tokenSeq":1,"tokenHash":"OsE_BOoJFE07nXm4xDhtBx8GDMcnEdiGGEjrBqJEGN0","fenceSeq":1,"seenVersion":1,"cursor":2,"filled":true,"last":null}]', NULL, NULL, NULL);
-- object /db8d5eef27a916462e528f03f4650b763b4e78ea91df398fc1de7a9e79ee4702.sqlite
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
VALUES (1, 2, 1794807170443, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'draft', 1, 0, 0, '[[1,"Ih-zv1m-Lx7UEVddZX4inQcjZxGSHUf4lPcBxJl5dtg"]]', NULL, NULL, '{"seq":1,"type":"session.created","at":"2026-11-16T05:32:50.443Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"title":"Released: needs_review","schema":{"type":"object","properties":{"city":{"type":"string","title":"City"},"count":{"type":"integer","minimum":0},"scan":{"type":"object","format":"file"}},"required":["city"]},"review":{"required":true,"approvals":1},"nextStep":null,"expiresAt":"2126-10-23T05:32:50.443Z","retentionMs":1576800000000,"policy":null,"parent":null}}
{"seq":2,"type":"token.issued","at":"2026-11-16T05:32:50.443Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"participant":"par_1","tokenHash":"Ih-zv1m-Lx7U"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (3, 3, 1794807170517, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'in_progress', 3, 0, 0, '[[1,"29-E7RbOhj1M9rgTPCIJEsR8UHMNJRZe9AcTmQO1gA8"]]', NULL, NULL, '{"seq":3,"type":"fields.updated","at":"2026-11-16T05:32:50.517Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"in_progress","version":3,"payload":{"changes":[{"field":"city","to":"Porto"}],"confidence":{"city":0.5}}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (4, 4, 1794807170534, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'needs_review', 4, 0, 0, '[[1,"qZ-N_rwN4ETr3bQLG82YRgua0oCEb3b3JbyHnMTIkIQ"]]', NULL, NULL, '{"seq":4,"type":"session.submitted","at":"2026-11-16T05:32:50.534Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"needs_review","version":4,"payload":{}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (5, 6, 1794807170563, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'needs_review', 4, 0, 0, '[[1,"cVszKGd30HkXTfNrlge9-HsEgOtzjVR9jXd0nHP6LwQ"],[2,"Cb6MiYQ9lGITpDYl4fCBomoT_yUkFgqRbm9D8ieZCjM"]]', NULL, NULL, '{"seq":5,"type":"handoff.created","at":"2026-11-16T05:32:50.563Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"needs_review","version":4,"payload":{"handoffId":"hnd_2","participant":"par_2","madeBy":"par_1","to":"agent","scopes":["view","review"],"note":"Yours"}}
{"seq":6,"type":"token.issued","at":"2026-11-16T05:32:50.563Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"needs_review","version":4,"payload":{"participant":"par_2","tokenHash":"bTEblZjW1Hjj"}}');
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
VALUES (1, 1, 'needs_review', 0, 4, 'Released: needs_review', '{"city":"Porto"}', '{"city":{"actor":{"kind":"agent","id":"maker","name":"Maker"},"at":"2026-11-16T05:32:50.517Z","confidence":0.5}}', '{"required":true,"approvals":1,"approvedBy":[]}', NULL, '{"type":"object","properties":{"city":{"type":"string","title":"City"},"count":{"type":"integer","minimum":0},"scan":{"type":"object","format":"file"}},"required":["city"]}', '2026-11-16T05:32:50.443Z', '{"kind":"agent","id":"maker","name":"Maker"}', '2026-11-16T05:32:50.534Z', '{"kind":"agent","id":"maker","name":"Maker"}', 4948407170443, 1576800000000, NULL, NULL, NULL, '[]', '{"resumeAt":null,"attempt":null,"failures":[],"suspended":false,"lastStopSeq":null}', '[]', 0, NULL, '[{"number":1,"actor":{"kind":"agent","id":"maker","name":"Maker"},"scopes":["view","append","fill","handoff","own"],"madeBy":null,"note":null,"createdAt":1794807170443,"expiresAt":null,"tokenSeq":5,"tokenHash":"cVszKGd30HkXTfNrlge9-HsEgOtzjVR9jXd0nHP6LwQ","fenceSeq":1,"seenVersion":4,"cursor":2,"filled":true,"last":{"consumed":"qZ-N_rwN4ETr3bQLG82YRgua0oCEb3b3JbyHnMTIkIQ","request":null,"outcome":{"participant":2,"issuedSeq":5},"sealed":null}},{"number":2,"actor":{"kind":"agent","id":"agent-2"},"scopes":["view","review"],"madeBy":1,"note":"Yours","createdAt":1794807170563,"expiresAt":null,"tokenSeq":5,"tokenHash":"Cb6MiYQ9lGITpDYl4fCBomoT_yUkFgqRbm9D8ieZCjM","fenceSeq":5,"seenVersion":4,"cursor":6,"filled":false,"last":null}]', NULL, NULL, NULL);
-- object /e1765d373b209ba8f844b441a01ac2bfb804683e4d044567866d9ecf700399a4.sqlite
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
VALUES (1, 2, 1794807170741, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'draft', 1, 0, 0, '[[1,"f-E5tD4YLLaRGRr72WasHg1KucUu-3sfgjJisaGX36A"]]', NULL, NULL, '{"seq":1,"type":"session.created","at":"2026-11-16T05:32:50.741Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"title":"Released: approved","schema":{"type":"object","properties":{"city":{"type":"string","title":"City"},"count":{"type":"integer","minimum":0},"scan":{"type":"object","format":"file"}},"required":["city"]},"review":{"required":true,"approvals":1},"nextStep":null,"expiresAt":"2126-10-23T05:32:50.741Z","retentionMs":1576800000000,"policy":null,"parent":null}}
{"seq":2,"type":"token.issued","at":"2026-11-16T05:32:50.741Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"draft","version":1,"payload":{"participant":"par_1","tokenHash":"f-E5tD4YLLaR"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (3, 3, 1794807170875, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'in_progress', 3, 0, 0, '[[1,"vK7URaade5p8CJz5yLfsvEvbygfCeZ6UfejXdhL9z_0"]]', NULL, NULL, '{"seq":3,"type":"fields.updated","at":"2026-11-16T05:32:50.875Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"in_progress","version":3,"payload":{"changes":[{"field":"city","to":"Porto"}],"confidence":{"city":0.5}}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (4, 4, 1794807170932, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'needs_review', 4, 0, 0, '[[1,"HScbds_b_3r4e_UVOFkrrLA5PZfI5CdshQbyzBrYPZY"]]', NULL, NULL, '{"seq":4,"type":"session.submitted","at":"2026-11-16T05:32:50.932Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"needs_review","version":4,"payload":{}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (5, 6, 1794807170973, 1, '{"kind":"agent","id":"maker","name":"Maker"}', 'needs_review', 4, 0, 0, '[[1,"sooTs2kYQIwTD2wa1RKn3EZdWtN6SnlhjFuIr-HP4WA"],[2,"aSW_wJOWgnAqZWbhuCmv7DMjhGIa-05KJm1RWdAf18I"]]', NULL, NULL, '{"seq":5,"type":"handoff.created","at":"2026-11-16T05:32:50.973Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"needs_review","version":4,"payload":{"handoffId":"hnd_2","participant":"par_2","madeBy":"par_1","to":"agent","scopes":["view","review"],"note":"Yours"}}
{"seq":6,"type":"token.issued","at":"2026-11-16T05:32:50.973Z","actor":{"kind":"agent","id":"maker","name":"Maker"},"state":"needs_review","version":4,"payload":{"participant":"par_2","tokenHash":"aSW_wJOWgnAq"}}');
INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version, trimmable, job_seq, issued, append_key, append_request, events)
VALUES (7, 7, 1794807171010, 2, '{"kind":"agent","id":"agent-2"}', 'approved', 7, 0, 0, '[[2,"_tJt9bu6t9gBO72or8AMoV-8V0N0qww95GeCzL2tG-E"]]', NULL, NULL, '{"seq":7,"type":"review.approved","at":"2026-11-16T05:32:51.010Z","actor":{"kind":"agent","id":"agent-2"},"state":"approved","version":7,"payload":{"participant":"par_2","given":1,"needed":1,"comment":"Good"}}');
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
VALUES (1, 1, 'approved', 0, 7, 'Released: approved', '{"city":"Porto"}', '{"city":{"actor":{"kind":"agent","id":"maker","name":"Maker"},"at":"2026-11-16T05:32:50.875Z","confidence":0.5}}', '{"required":true,"approvals":1,"approvedBy":[{"participant":"par_2","actor":{"kind":"agent","id":"agent-2"},"at":"2026-11-16T05:32:51.010Z","comment":"Good"}]}', NULL, '{"type":"object","properties":{"city":{"type":"string","title":"City"},"count":{"type":"integer","minimum":0},"scan":{"type":"object","format":"file"}},"required":["city"]}', '2026-11-16T05:32:50.741Z', '{"kind":"agent","id":"maker","name":"Maker"}', '2026-11-16T05:32:51.010Z', '{"kind":"agent","id":"agent-2"}', 4948407170741, 1576800000000, NULL, NULL, NULL, '[]', '{"resumeAt":null,"attempt":null,"failures":[],"suspended":false,"lastStopSeq":null}', '[]', 0, NULL, '[{"number":1,"actor":{"kind":"agent","id":"maker","name":"Maker"},"scopes":["view","append","fill","handoff","own"],"madeBy":null,"note":null,"createdAt":1794807170741,"expiresAt":null,"tokenSeq":5,"tokenHash":"sooTs2kYQIwTD2wa1RKn3EZdWtN6SnlhjFuIr-HP4WA","fenceSeq":1,"seenVersion":4,"cursor":2,"filled":true,"last":{"consumed":"HScbds_b_3r4e_UVOFkrrLA5PZfI5CdshQbyzBrYPZY","request":null,"outcome":{"participant":2,"issuedSeq":5},"sealed":null}},{"number":2,"actor":{"kind":"agent","id":"agent-2"},"scopes":["view","review"],"madeBy":1,"note":"Yours","createdAt":1794807170973,"expiresAt":null,"tokenSeq":7,"tokenHash":"_tJt9bu6t9gBO72or8AMoV-8V0N0qww95GeCzL2tG-E","fenceSeq":5,"seenVersion":7,"cursor":6,"filled":false,"last":{"consumed":"aSW_wJOWgnAqZWbhuCmv7DMjhGIa-05KJm1RWdAf18I","request":null,"outcome":{"issuedSeq":7},"sealed":null}}]', NULL, NULL, NULL);
