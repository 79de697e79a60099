/* Judging a batch: one pair in view, chosen by key or button; answers are posted behind it.
   Everything works without this script too, one page a question. It keeps nothing in the browser. */
"use strict";

(() => {
  const page = document.body;
  const questions = [...page.querySelectorAll("[data-position]")];
  const finish = page.querySelector("[data-finish]");
  const refused = page.querySelector("[data-refused]");
  const views = [...questions, finish, refused];
  const back = page.querySelector(".back");
  const help = page.querySelector("dialog");
  const saving = page.querySelector(".saving");
  const spoken = page.querySelector("#spoken");
  const { token, answer, submit, home, study } = page.dataset;
  const total = questions.length;

  // How long a mark stands before the next pair: seen, but not waited for.
  const HOLD = 140;
  // How long a new pair takes no answer: nobody compares two items in that time, but a double press
  // or double click of the last one falls into it.
  const SETTLE = 250;
  // A pause this short between a post and its reply is not worth a word.
  const QUIET = 600;
  const LONGEST_WAIT = 15000;

  let at = views.findIndex((view) => !view.hidden);
  let locked = true;

  /* Posting: one letter at a time, in order, again and again until the server has answered */

  const letters = [];
  let posting = false;
  let wake = () => {};

  const pause = (milliseconds) =>
    new Promise((done) => {
      const timer = setTimeout(done, milliseconds);
      wake = () => {
        clearTimeout(timer);
        done();
      };
    });

  // The server's reply, or null where there was none and the letter must go again.
  async function attempt({ address, fields }) {
    try {
      const response = await fetch(address, {
        method: "POST",
        headers: { Accept: "application/json" },
        body: new URLSearchParams(fields),
        credentials: "omit",
        redirect: "error",
        keepalive: true,
        signal: AbortSignal.timeout?.(20000),
      });
      if (response.status >= 500 || response.status === 408 || response.status === 429) return null;
      return await response.json();
    } catch {
      return null;
    }
  }

  async function post(address, fields, then) {
    letters.push({ address, fields, then });
    addEventListener("beforeunload", warn);
    if (posting) return;
    posting = true;
    let tries = 0;
    const slow = setTimeout(() => tell("Saving…"), QUIET);
    while (letters.length) {
      const reply = await attempt(letters[0]);
      if (reply) {
        tries = 0;
        letters.shift().then(reply);
      } else {
        tell("Not saved yet, trying again. Keep this page open.", true);
        await pause(Math.min(LONGEST_WAIT, 500 * 2 ** tries++) * (0.75 + Math.random() / 2));
      }
    }
    clearTimeout(slow);
    tell("");
    posting = false;
    removeEventListener("beforeunload", warn);
  }

  const warn = (event) => event.preventDefault();

  function tell(words, trouble = false) {
    // "Saving" never takes back that there is trouble; only success does.
    if (words === "Saving…" && saving.textContent) return;
    saving.classList.toggle("trouble", trouble);
    if (saving.textContent !== words) saving.textContent = words;
  }

  addEventListener("online", () => wake());

  // Not randomUUID: it is missing where the page came over plain HTTP.
  const nonce = () =>
    Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

  /* Time: seconds that a question was really in view */

  const spent = new Map();
  let since = null;

  function stopClock() {
    if (since !== null) spent.set(at, (spent.get(at) ?? 0) + performance.now() - since);
    since = null;
  }

  function startClock() {
    since = document.hidden ? null : performance.now();
  }

  document.addEventListener("visibilitychange", () => (document.hidden ? stopClock() : startClock()));

  /* Showing */

  const answered = () => questions.filter((question) => question.dataset.choice).length;

  function next() {
    const waiting = questions.findIndex((question) => !question.dataset.choice);
    return waiting < 0 ? total : waiting;
  }

  function show(place, words = "") {
    stopClock();
    at = place;
    views.forEach((view, i) => (view.hidden = i !== at));
    const number = Math.min(at + 1, total);
    page.querySelector(".where").textContent = `${number} of ${total}`;
    page.querySelector(".line").value = answered();
    document.title = `${number} of ${total} · ${study}`;
    back.classList.toggle("away", at === 0 || views[at] === refused);
    spoken.textContent = `${words} ${at < total ? `Question ${number} of ${total}.` : ""}`;
    questions[at]?.toggleAttribute("data-answered", Boolean(questions[at].dataset.choice));
    arrange();
    views[at].querySelector("h1").focus({ preventScroll: true });
    ready();
  }

  function lock() {
    locked = true;
    delete page.dataset.ready;
  }

  // A view takes an answer once it is painted and a double press has passed.
  function ready() {
    lock();
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        startClock();
        setTimeout(() => {
          locked = false;
          page.dataset.ready = at + 1;
        }, SETTLE);
      }),
    );
  }

  function arrange() {
    for (const passage of questions[at]?.querySelectorAll(".passage") ?? []) passage.scrollTop = 0;
    reach();
    // The next pair's pictures are unpacked before they are wanted.
    for (const picture of questions[at + 1]?.querySelectorAll("img") ?? []) picture.decode().catch(() => {});
  }

  // Only a passage that scrolls needs to be reached by Tab.
  function reach() {
    for (const passage of questions[at]?.querySelectorAll(".passage") ?? []) {
      if (passage.scrollHeight > passage.clientHeight) passage.tabIndex = 0;
      else passage.removeAttribute("tabindex");
    }
  }

  addEventListener("resize", reach);

  /* Choosing */

  const WORDS = { left: "Left chosen.", right: "Right chosen.", tie: "Tie chosen." };

  function choose(side) {
    const question = questions[at];
    const button = question?.querySelector(`button[value="${side}"]`);
    if (locked || !button) return;
    if ([...question.querySelectorAll("img")].some((picture) => !picture.complete)) {
      spoken.textContent = "The pictures are still on their way.";
      return;
    }
    lock();
    stopClock();
    question.dataset.choice = side;
    for (const other of question.querySelectorAll(".choice")) {
      other.setAttribute("aria-pressed", String(other === button));
    }
    const fields = {
      token,
      question: question.dataset.question,
      choice: side,
      seconds: ((spent.get(at) ?? 0) / 1000).toFixed(2),
      nonce: nonce(),
    };
    post(answer, fields, (reply) => {
      if (!reply.stored) refuse(reply);
    });
    setTimeout(() => views[at] !== refused && show(next(), WORDS[side]), HOLD);
  }

  function goBack() {
    if (!locked && at > 0 && views[at] !== refused) show(at - 1);
  }

  function goOn() {
    if (locked) return;
    if (views[at] === finish) send();
    else if (questions[at]?.dataset.choice) show(next());
  }

  // Answers still on their way go first: letters are posted in order.
  function send() {
    lock();
    finish.querySelector("button").firstChild.data = "Sending… ";
    post(submit, { token }, (reply) => {
      if (reply.submitted || reply.code === "unfinished") location.replace(home);
      else refuse(reply);
    });
  }

  // An answer that is no longer taken: say why, and how to go on. What waits would be refused as well.
  function refuse(reply) {
    letters.length = 0;
    if (reply.code === "over") refused.querySelector("h1").textContent = "This batch is over";
    refused.querySelector("p").textContent = reply.error ?? "The server gave no reason.";
    show(views.indexOf(refused));
  }

  /* Keys and clicks */

  const actions = {
    ArrowLeft: () => choose("left"),
    ArrowRight: () => choose("right"),
    ArrowDown: () => choose("tie"),
    Backspace: goBack,
    Enter: goOn,
    "?": () => help.showModal(),
  };

  document.addEventListener("keydown", (event) => {
    const action = actions[event.key];
    if (!action || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    if (event.shiftKey && event.key !== "?") return;
    if (help.open) {
      if (event.key === "?") help.close();
      return;
    }
    // A focused button or link is pressed by Enter as anywhere; a focused long passage scrolls by arrows.
    if (event.key === "Enter" && event.target.closest("a, button")) return;
    if (event.key === "ArrowDown" && event.target.closest(".passage[tabindex]")) return;
    event.preventDefault();
    // A key held down is one press.
    if (!event.repeat) action();
  });

  page.addEventListener("click", (event) => {
    const control = event.target.closest("a, button");
    if (!control || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (control.matches(".choice, .back, .keep, [data-go], .finish button")) {
      event.preventDefault();
    }
    // The second click of a double click is no answer to whatever stands there now.
    if (event.detail > 1) return;
    if (control.matches(".choice")) choose(control.value);
    else if (control === back) goBack();
    else if (control.matches(".keep, .finish button")) goOn();
    else if (control.dataset.go) show(control.dataset.go - 1);
    else if (control.matches(".help")) help.showModal();
    else if (control.matches(".missing button")) load(control.closest(".frame"));
  });

  /* Pictures that did not load: tried again, then said */

  function load(frame) {
    const picture = frame.querySelector("img");
    frame.querySelector(".missing").hidden = true;
    picture.src = picture.src;
  }

  for (const picture of page.querySelectorAll(".frame img")) {
    const frame = picture.closest(".frame");
    let tries = 0;
    const failed = () => {
      frame.querySelector(".missing").hidden = false;
      if (tries++ < 2) setTimeout(() => load(frame), 1500 * tries);
    };
    picture.addEventListener("error", failed);
    if (picture.complete && !picture.naturalWidth) failed();
    addEventListener("online", () => picture.complete && !picture.naturalWidth && load(frame));
  }

  /* The deadline, said when it comes near */

  const deadline = Date.now() + 1000 * page.dataset.secondsLeft;
  setInterval(() => {
    const minutes = Math.ceil((deadline - Date.now()) / 60000);
    if (posting || minutes > 10 || views[at] === refused) return;
    tell(minutes > 0 ? `${minutes} min left to send this batch.` : "The time for this batch has run out.");
  }, 30000);

  // A reload continues at the first question without an answer, not at the one that was looked up.
  history.replaceState(null, "", home);
  page.classList.add("heard");
  arrange();
  ready();
})();
