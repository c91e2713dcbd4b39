/** The diagrams of the documents. */
import { arrow, box, frame, text, type Picture } from "./drawing.ts";

const dim = (x: number, y: number, words: string, anchor: "start" | "middle" | "end" = "middle") =>
  text(x, y, words, { className: "dim", anchor });

export const overview: Picture = {
  title: "One session, passed from hand to hand",
  description:
    "In the middle one session with its document, its state and its log of numbered events. An agent works on it with a resume token, is gone, and resumes. It hands off to a second agent by a token and to a person by a short link; both work on the same session.",
  width: 760,
  height: 330,
  parts: [
    `<rect class="core" x="270" y="60" width="220" height="130" rx="12"/>`,
    text(380, 92, "one session", { className: "strong", anchor: "middle" }),
    dim(380, 117, "document and state"),
    dim(380, 139, "one log: 1, 2, 3 …"),
    dim(380, 161, "who may do what"),
    box([20, 85, 150, 80], ["agent A", "any program,", "anywhere"]),
    box([590, 85, 150, 80], ["agent B", "another program,", "another host"]),
    box([305, 250, 150, 66], ["a person", "in a browser"]),
    arrow([
      [170, 110],
      [270, 110],
    ]),
    arrow([
      [270, 142],
      [170, 142],
    ]),
    dim(220, 102, "write, token"),
    dim(220, 160, "next token"),
    arrow(
      [
        [95, 165],
        [95, 245],
        [290, 245],
        [290, 190],
      ],
      "dotted",
    ),
    dim(192, 265, "crashes, comes back, resumes"),
    arrow([
      [490, 110],
      [590, 110],
    ]),
    arrow([
      [590, 142],
      [490, 142],
    ]),
    dim(540, 102, "handoff"),
    dim(540, 160, "its own token"),
    arrow([
      [380, 190],
      [380, 250],
    ]),
    dim(368, 224, "short link", "end"),
    arrow([
      [455, 283],
      [470, 283],
      [470, 190],
    ]),
    dim(482, 224, "fills in, reviews", "start"),
    dim(380, 36, "Cloudflare Worker and one Durable Object, or your own machine"),
  ],
};

export const layers: Picture = {
  title: "The layers of the Worker and of the object",
  description:
    "An agent calls http in the Worker. http uses protocol for shapes and problems and calls the gateway. The gateway calls the session object by RPC with plain data, hashes and sealed bytes. In the object, object calls storage, which writes to the SQLite of this object. All of them import the rules of domain, which are pure functions over plain data.",
  width: 760,
  height: 560,
  parts: [
    box([290, 12, 180, 46], ["agent, over HTTPS"]),
    frame([20, 86, 720, 210], "Worker: runs near the caller, keeps nothing"),
    box([50, 124, 200, 66], ["http/", "routes, bodies, /docs"]),
    box([500, 124, 210, 84], ["protocol/", "zod schemas, endpoints,", "problems, OpenAPI"]),
    box([50, 218, 200, 66], ["gateway/", "token in, object out"]),
    dim(262, 246, "hashing, sealing, retries", "start"),
    arrow([
      [330, 58],
      [330, 104],
      [150, 104],
      [150, 124],
    ]),
    arrow([
      [250, 157],
      [500, 157],
    ]),
    arrow([
      [150, 190],
      [150, 218],
    ]),
    frame([20, 334, 460, 214], "SessionObject: one per session"),
    box([50, 366, 200, 66], ["object/", "load, decide, store"]),
    box([50, 464, 200, 66], ["storage/", "SQL behind a port"]),
    box([310, 464, 150, 66], ["SQLite", "of this object"]),
    arrow([
      [150, 284],
      [150, 366],
    ]),
    dim(162, 318, "RPC: plain data, hashes, sealed bytes", "start"),
    arrow([
      [150, 432],
      [150, 464],
    ]),
    arrow([
      [250, 497],
      [310, 497],
    ]),
    box([530, 400, 200, 100], ["domain/", "the rules: pure functions", "over plain data"], "core"),
    arrow(
      [
        [605, 208],
        [605, 400],
      ],
      "dotted",
    ),
    arrow(
      [
        [250, 270],
        [560, 270],
        [560, 400],
      ],
      "dotted",
    ),
    arrow(
      [
        [250, 399],
        [500, 399],
        [530, 425],
      ],
      "dotted",
    ),
    arrow(
      [
        [250, 480],
        [285, 450],
        [530, 450],
      ],
      "dotted",
    ),
    dim(617, 340, "imports", "start"),
  ],
};

export const live: Picture = {
  title: "Who holds a live stream",
  description:
    "An SSE response, a long-poll and a client's WebSocket each have a follower in the Worker. Each follower listens to the hibernating WebSockets of the session object, and reads the log after its cursor.",
  width: 760,
  height: 270,
  parts: [
    frame([16, 12, 440, 246], "Worker"),
    ...["SSE response", "long-poll", "client's WebSocket"].flatMap((name, index) => {
      const y = 44 + index * 70;
      return [
        box([36, y, 170, 50], [name]),
        arrow([
          [206, y + 25],
          [290, y + 25],
        ]),
        box([290, y, 120, 50], ["follower"]),
        arrow([
          [410, y + 18],
          [530, 75 + index * 12],
        ]),
        arrow(
          [
            [410, y + 34],
            [530, 185 + index * 12],
          ],
          "dotted",
        ),
      ];
    }),
    frame([510, 12, 236, 246], "SessionObject"),
    box([530, 50, 200, 74], ["hibernating", "WebSockets, tagged", "by participant"]),
    box([530, 176, 200, 58], ["log", "read after the cursor"]),
    dim(470, 36, "listen"),
  ],
};

const step = (x: number, y: number, name: string, className = "box") =>
  box([x, y, 130, 40], [name], className);

export const states: Picture = {
  title: "The states of a session",
  description:
    "A session begins as draft. Setting a field leads to in_progress. Asking for input leads to awaiting_input, announcing a file to awaiting_upload, and both lead back to in_progress. Submitting leads to submitted or, if a review is required, to needs_review. A review leads to approved, to rejected, or back to awaiting_input. Submitted and approved lead to finalized. Every state that is not an end can also become cancelled or expired.",
  width: 760,
  height: 300,
  parts: [
    step(15, 120, "draft", "core"),
    step(195, 120, "in_progress"),
    step(195, 30, "awaiting_upload"),
    step(195, 210, "awaiting_input"),
    step(400, 60, "submitted"),
    step(400, 180, "needs_review"),
    step(580, 60, "finalized", "core"),
    step(580, 140, "approved"),
    step(580, 220, "rejected", "core"),
    arrow([
      [145, 140],
      [195, 140],
    ]),
    arrow([
      [245, 120],
      [245, 70],
    ]),
    arrow([
      [275, 70],
      [275, 120],
    ]),
    arrow([
      [245, 160],
      [245, 210],
    ]),
    arrow([
      [275, 210],
      [275, 160],
    ]),
    arrow([
      [325, 130],
      [400, 80],
    ]),
    arrow([
      [325, 150],
      [400, 190],
    ]),
    dim(362, 92, "submit"),
    arrow([
      [530, 80],
      [580, 80],
    ]),
    arrow([
      [530, 190],
      [580, 165],
    ]),
    arrow([
      [530, 210],
      [580, 235],
    ]),
    arrow([
      [645, 140],
      [645, 100],
    ]),
    arrow([
      [430, 220],
      [430, 236],
      [325, 236],
    ]),
    dim(378, 252, "changes requested"),
    dim(380, 288, "every state that is not an end can also become cancelled or expired"),
  ],
};
