/**
 * What an open page does with JavaScript: follows live, saves as one goes, keeps what was typed
 * over a lost network or a reload, sends files with a progress bar. It draws nothing itself: it
 * asks for the page as the server draws it and takes over the parts that changed. Served as a
 * file, because the policy allows no inline script. Long because the browser gets it as one file
 * without a build, and its parts share the few facts of the page.
 */
export const PAGE_SCRIPT = `"use strict";
(function () {
  var main = document.querySelector("main");
  var words = JSON.parse(main.dataset.words || "{}");
  var live = document.getElementById("live");
  var code = main.dataset.code;

  function say(text, isBad) {
    if (!live) return;
    live.textContent = text;
    live.classList.toggle("bad", isBad === true);
  }

  function localTimes(root) {
    root.querySelectorAll("time").forEach(function (time) {
      var at = new Date(time.dateTime);
      if (!isNaN(at)) time.textContent = at.toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
    });
  }
  localTimes(document);

  document.querySelectorAll("[data-copy]").forEach(function (button) {
    button.hidden = false;
    button.addEventListener("click", function () {
      var source = document.getElementById(button.dataset.copy);
      source.select();
      navigator.clipboard.writeText(source.value).then(function () { say(words.copied); }, function () { say(words.failed, true); });
    });
  });
  if (!code) return;

  var problems = document.getElementById("problems");
  if (problems) problems.focus();

  var path = "/h/" + code;
  var form = document.getElementById("form");
  var canSave = !!(form && form.querySelector('button[value="save"]'));
  var isLeaving = false;
  var isOver = false;

  /* What was typed, by name of input; a draft outlives a reload of the tab. */
  var draftKey = "baton-draft:" + code;
  var shown = {};

  function inputs(root) {
    return Array.prototype.filter.call((root || form || main).querySelectorAll("input, textarea, select"), function (input) {
      return input.name && input.type !== "hidden" && input.type !== "file" && input.type !== "radio";
    });
  }
  function remember() {
    shown = {};
    if (form) inputs().forEach(function (input) { shown[input.name] = input.value; });
  }
  function touched() {
    var changed = {};
    if (form) inputs().forEach(function (input) {
      if (shown[input.name] !== undefined && shown[input.name] !== input.value) changed[input.name] = input.value;
    });
    return changed;
  }
  function keepDraft() {
    try { sessionStorage.setItem(draftKey, JSON.stringify(touched())); } catch (error) { /* no storage: the page still holds it */ }
  }
  function restoreDraft() {
    var draft = {};
    try { draft = JSON.parse(sessionStorage.getItem(draftKey) || "{}"); } catch (error) { draft = {}; }
    if (form) inputs().forEach(function (input) {
      if (typeof draft[input.name] === "string") input.value = draft[input.name];
    });
  }

  /* A page that came back with problems shows what was typed, which is not what is saved. */
  remember();
  if (!problems) restoreDraft();

  function parse(text) { return new DOMParser().parseFromString(text, "text/html"); }

  function swap(fresh, id) {
    var mine = document.getElementById(id);
    var theirs = fresh.getElementById(id);
    if (!mine || !theirs) return;
    localTimes(theirs);
    mine.replaceWith(theirs);
  }

  /* Takes over what the server now shows; what the person has typed stays. */
  function adopt(fresh) {
    var freshMain = fresh.querySelector("main");
    if (!freshMain || freshMain.dataset.code !== code) { location.reload(); return; }
    var isOther = freshMain.dataset.state !== main.dataset.state && !sameShape(fresh);
    if (isOther) {
      keepDraft();
      if (Object.keys(touched()).length === 0) { isLeaving = true; location.reload(); }
      else say(words.changed + " " + fresh.querySelector(".chip").textContent, true);
      return;
    }
    swap(fresh, "status");
    swap(fresh, "timeline");
    swap(fresh, "values");
    main.dataset.state = freshMain.dataset.state;
    main.dataset.head = freshMain.dataset.head;
    if (form && canSave) adoptFields(fresh);
  }

  function sameShape(fresh) {
    var theirs = fresh.getElementById("form");
    if (!theirs || !form) return !theirs && !form;
    return !!theirs.querySelector('button[value="save"]') === canSave
      && !!theirs.querySelector('button[value="submit"]') === !!form.querySelector('button[value="submit"]');
  }

  function adoptFields(fresh) {
    var changed = touched();
    var base = JSON.parse(form.elements.base.value);
    var freshBase = JSON.parse(fresh.querySelector('[name="base"]').value);
    fresh.querySelectorAll("[data-field]").forEach(function (theirs) {
      var key = theirs.dataset.field;
      var mine = form.querySelector('[data-field="' + CSS.escape(key) + '"]');
      if (!mine) { form.querySelector(".actions").before(theirs); base[key] = freshBase[key]; return; }
      if (mine.contains(document.activeElement) && JSON.stringify(base[key]) === JSON.stringify(freshBase[key])) return;
      var isTouched = inputs(mine).some(function (input) { return input.name in changed; });
      if (mine.querySelector(".conflict")) return;
      if (!isTouched && !isSending(mine)) {
        var focused = mine.contains(document.activeElement) ? document.activeElement.id : null;
        mine.replaceWith(theirs);
        inputs(theirs).forEach(function (input) { shown[input.name] = input.value; });
        bindFiles(theirs);
        if (focused && document.getElementById(focused)) document.getElementById(focused).focus();
        base[key] = freshBase[key];
      } else if (JSON.stringify(base[key]) !== JSON.stringify(freshBase[key])) {
        /* Both changed it: the base stays old, so that saving asks the person to choose. */
        note(mine, freshBase[key]);
      }
    });
    form.elements.base.value = JSON.stringify(base);
    form.elements.version.value = fresh.querySelector('[name="version"]').value;
  }

  function note(field, value) {
    var old = field.querySelector(".theirs");
    if (old) old.remove();
    var text = document.createElement("p");
    text.className = "comment theirs";
    text.textContent = words.changed + " " + (typeof value === "string" ? value : JSON.stringify(value));
    field.append(text);
  }

  /* Live */
  var source = null;
  var asking = false;
  var askAgain = false;
  function refresh() {
    if (isLeaving || isOver) return;
    if (asking) { askAgain = true; return; }
    asking = true;
    fetch(path, { headers: { Accept: "text/html" } })
      .then(function (response) { return response.text(); })
      .then(function (text) { adopt(parse(text)); })
      .catch(function () { say(words.offline, true); })
      .finally(function () {
        asking = false;
        if (askAgain) { askAgain = false; refresh(); }
      });
  }
  function listen() {
    source = new EventSource(path + "/live?after=" + main.dataset.head);
    source.addEventListener("news", refresh);
    source.addEventListener("ready", function () {
      if (wasLost) { wasLost = false; say(words.online); refresh(); saveSoon(0); }
    });
    source.addEventListener("over", function (event) {
      source.close();
      isOver = true;
      keepDraft();
      if (event.data === "ended") { refreshOnce(); return; }
      say(words[event.data] || words.gone, true);
    });
    source.addEventListener("error", function () {
      wasLost = true;
      if (!navigator.onLine) say(words.offline, true);
      if (source.readyState === EventSource.CLOSED) setTimeout(listen, 2000);
    });
  }
  function refreshOnce() {
    if (Object.keys(touched()).length === 0) location.reload();
    else say(words.ended, true);
  }
  var wasLost = false;
  /* A finished work has no news; asking for some would only say again that it is over. */
  if (main.dataset.over === "true") isOver = true;
  else listen();
  addEventListener("offline", function () { wasLost = true; say(words.offline, true); });
  addEventListener("online", function () { saveSoon(0); refresh(); });

  /* Saving as one goes */
  var timer = null;
  var isSaving = false;
  function saveSoon(ms) {
    clearTimeout(timer);
    timer = setTimeout(autosave, ms);
  }
  function autosave() {
    if (!canSave || isLeaving || isOver || isSaving || form.querySelector(".conflict")) return;
    if (Object.keys(touched()).length === 0) return;
    var sent = {};
    inputs().forEach(function (input) { sent[input.name] = input.value; });
    var data = new FormData(form);
    form.querySelectorAll("input[type=file]").forEach(function (input) { data.delete(input.name); });
    data.set("action", "save");
    isSaving = true;
    say(words.saving);
    fetch(path + "/act", { method: "POST", body: data })
      .then(function (response) { return response.text().then(function (text) { return { response: response, text: text }; }); })
      .then(function (answer) {
        var fresh = parse(answer.text);
        form.elements.key.value = (fresh.querySelector('[name="key"]') || { value: newKey() }).value;
        if (answer.response.ok) {
          Object.keys(sent).forEach(function (name) { shown[name] = sent[name]; });
          var base = fresh.querySelector('[name="base"]');
          if (base) { form.elements.base.value = base.value; form.elements.version.value = fresh.querySelector('[name="version"]').value; }
          clearErrors();
          keepDraft();
          say(words.saved);
          adopt(fresh);
        } else {
          say(fresh.querySelector("#problems h2") ? fresh.querySelector("#problems h2").textContent : words.failed, true);
          showErrors(fresh);
        }
      })
      .catch(function () { wasLost = true; say(words.offline, true); })
      .finally(function () { isSaving = false; if (Object.keys(touched()).length && !wasLost && !form.querySelector(".error, .conflict")) saveSoon(800); });
  }
  function newKey() { return crypto.randomUUID().replaceAll("-", ""); }

  /* Errors and choices as the server drew them, beside what the person typed. */
  function showErrors(fresh) {
    clearErrors();
    fresh.querySelectorAll("[data-field]").forEach(function (theirs) {
      var mine = form.querySelector('[data-field="' + CSS.escape(theirs.dataset.field) + '"]');
      if (!mine) return;
      theirs.querySelectorAll(":scope > .error, :scope > .conflict").forEach(function (part) {
        mine.append(part);
        if (part.classList.contains("error")) mine.classList.add("wrong");
      });
    });
    var conflicts = form.querySelectorAll(".conflict");
    if (conflicts.length) {
      var base = fresh.querySelector('[name="base"]');
      if (base) { form.elements.base.value = base.value; form.elements.version.value = fresh.querySelector('[name="version"]').value; }
      form.querySelectorAll(".theirs").forEach(function (old) { old.remove(); });
    }
  }
  function clearErrors() {
    form.querySelectorAll(".error, .theirs").forEach(function (part) { part.remove(); });
    form.querySelectorAll(".wrong").forEach(function (part) { part.classList.remove("wrong"); });
  }

  if (form) {
    form.addEventListener("input", function (event) {
      if (event.target.type === "file" || event.target.type === "radio") return;
      keepDraft();
      if (!canSave) return;
      say(words.unsaved);
      saveSoon(1500);
    });
    form.addEventListener("change", function (event) {
      if (event.target.type === "radio" && event.target.value === "theirs") saveChoice();
      else if (event.target.type === "radio") saveChoice();
    });
    form.addEventListener("submit", function () {
      isLeaving = true;
      try { sessionStorage.removeItem(draftKey); } catch (error) { /* nothing kept */ }
      /* After the browser has taken the data: a second tap finds the buttons off. */
      setTimeout(function () { form.querySelectorAll("button").forEach(function (button) { button.disabled = true; }); }, 0);
      setTimeout(function () { isLeaving = false; form.querySelectorAll("button").forEach(function (button) { button.disabled = false; }); }, 8000);
    });
  }
  function saveChoice() { keepDraft(); say(words.unsaved); }

  /* Lists: one more row when the last is filled. */
  if (form) form.addEventListener("input", function (event) {
    var list = event.target.closest("[data-list]");
    if (!list) return;
    var rows = list.querySelectorAll(":scope > .control, :scope > fieldset");
    var last = rows[rows.length - 1];
    if (!last || !last.contains(event.target) || event.target.value === "" || rows.length >= 100) return;
    var copy = last.cloneNode(true);
    renumber(copy, rows.length - 1, rows.length);
    last.after(copy);
    inputs(copy).forEach(function (input) { input.value = ""; shown[input.name] = ""; });
  });
  function renumber(node, from, to) {
    var pattern = new RegExp("/" + from + "(?=/|$)");
    [node].concat(Array.prototype.slice.call(node.querySelectorAll("*"))).forEach(function (one) {
      ["id", "name", "for"].forEach(function (attribute) {
        var value = one.getAttribute(attribute);
        if (value) one.setAttribute(attribute, value.replace(pattern, "/" + to));
      });
    });
    node.querySelectorAll("label, legend").forEach(function (label) {
      label.textContent = label.textContent.replace(String(from + 1), String(to + 1));
    });
  }

  /* Files */
  function isSending(field) { return !!field.querySelector("progress:not([hidden])"); }
  function bindFiles(root) {
    root.querySelectorAll("[data-upload]").forEach(function (input) {
      input.addEventListener("change", function () { if (input.files.length === 1) send(input); });
    });
  }
  function send(input) {
    var file = input.files[0];
    var bar = input.parentElement.querySelector("progress");
    bar.hidden = false;
    bar.value = 0;
    input.disabled = true;
    say(words.uploading);
    var request = new XMLHttpRequest();
    request.open("POST", path + "/files?field=" + encodeURIComponent(input.dataset.upload) + "&name=" + encodeURIComponent(file.name) + "&key=" + newKey());
    request.setRequestHeader("Content-Type", file.type || "application/octet-stream");
    request.upload.onprogress = function (event) { if (event.lengthComputable) bar.value = Math.round(100 * event.loaded / event.total); };
    request.onload = function () {
      bar.hidden = true;
      input.disabled = false;
      input.value = "";
      var fresh = parse(request.responseText);
      if (request.status < 300) { say(fresh.getElementById("live").textContent); adopt(fresh); }
      else { say(fresh.querySelector("#problems h2") ? fresh.querySelector("#problems h2").textContent : words.failed, true); showErrors(fresh); }
    };
    request.onerror = function () { bar.hidden = true; input.disabled = false; say(words.failed, true); };
    request.send(file);
  }
  bindFiles(document);
})();
`;
