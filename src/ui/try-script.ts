/**
 * The try-out on the front page, as an agent would do it: plain calls of the public API. The token
 * lives in this script's memory alone and is gone with the tab.
 */
export const TRY_SCRIPT = `"use strict";
(function () {
  var words = JSON.parse(document.querySelector("main").dataset.words);
  var panel = document.getElementById("try");
  var begin = document.getElementById("begin");
  var act = document.getElementById("act");
  var say = document.getElementById("say");
  var log = document.getElementById("log");
  var session = null;
  var token = null;
  var step = 0;
  panel.hidden = false;

  var SCHEMA = {
    type: "object",
    required: ["destination", "travellers", "departure"],
    properties: {
      destination: { type: "string", title: "Destination", description: "Where the trip goes" },
      travellers: { type: "integer", minimum: 1, title: "Travellers" },
      departure: { type: "string", format: "date", title: "Departure" },
      budget: { type: "number", title: "Budget in euros" },
      wishes: { type: "string", maxLength: 2000, title: "Wishes" },
      ticket: { type: "object", format: "file", title: "Ticket", maxBytes: 10485760 }
    }
  };
  var ACTS = [
    { fields: { destination: "Lisbon" }, confidence: 0.95 },
    { fields: { budget: 1200 }, confidence: 0.5 },
    { fields: { wishes: "A window seat" }, confidence: 0.6 },
    { fields: { destination: "Porto" }, confidence: 0.9 }
  ];

  function call(method, path, body, ifMatch) {
    var headers = { "Content-Type": "application/json", "Idempotency-Key": crypto.randomUUID() + crypto.randomUUID() };
    if (token) headers.Authorization = "Bearer " + token;
    if (ifMatch) headers["If-Match"] = '"' + ifMatch + '"';
    return fetch(path, { method: method, headers: headers, body: JSON.stringify(body) }).then(function (response) {
      return response.json().then(function (answer) {
        if (response.status === 409 && answer.code === "version_conflict" && !ifMatch) {
          return call(method, path, body, answer.current.version);
        }
        if (!response.ok) throw new Error(answer.title || response.status);
        if (answer.resumeToken) token = answer.resumeToken;
        return answer;
      });
    });
  }

  function busy(work) {
    begin.disabled = act.disabled = true;
    say.textContent = words.working;
    say.classList.remove("bad");
    work().then(function () { say.textContent = ""; }, function (error) {
      say.textContent = words.failed + " " + error.message;
      say.classList.add("bad");
    }).finally(function () { begin.disabled = false; act.disabled = session === null; });
  }

  /* The log over fetch, because an EventSource cannot carry a token in a header. */
  function follow(id, bearer) {
    log.textContent = "";
    fetch("/sessions/" + id + "/events?after=0", { headers: { Accept: "text/event-stream", Authorization: "Bearer " + bearer } })
      .then(function (response) {
        var reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
        var rest = "";
        function read() {
          return reader.read().then(function (part) {
            if (part.done || session !== id) return;
            rest += part.value;
            var messages = rest.split("\\n\\n");
            rest = messages.pop();
            messages.forEach(show);
            return read();
          });
        }
        return read();
      }).catch(function () { /* the page is going away */ });
  }
  function show(message) {
    var data = /^data: (.*)$/m.exec(message);
    if (!data) return;
    var event = JSON.parse(data[1]);
    if (!event.seq) return;
    var who = event.actor.name || event.actor.id;
    log.textContent += String(event.seq).padStart(3) + "  " + event.type + "  (" + who + ")\\n";
    log.scrollTop = log.scrollHeight;
  }

  begin.addEventListener("click", function () {
    busy(function () {
      token = null;
      return call("POST", "/sessions", { title: "Plan a trip", actor: { id: "planner", name: "Planner" }, schema: SCHEMA, ttlMs: 86400000 })
        .then(function (answer) {
          session = answer.session.id;
          step = 0;
          document.getElementById("logged").hidden = false;
          follow(session, token);
          return call("POST", "/sessions/" + session + "/handoffs", {
            to: "human", scopes: ["fill", "handoff"], note: "When do you travel, and how many of you?"
          });
        })
        .then(function (answer) {
          var path = new URL(answer.handoff.url).pathname;
          var link = document.getElementById("link");
          link.href = path;
          link.textContent = answer.handoff.url;
          var qr = document.getElementById("qr");
          qr.src = path + "/qr.svg";
          qr.alt = answer.handoff.url;
          document.getElementById("linked").hidden = false;
        });
    });
  });
  act.addEventListener("click", function () {
    busy(function () {
      var body = ACTS[step % ACTS.length];
      step += 1;
      return call("PATCH", "/sessions/" + session, body);
    });
  });
})();
`;
