/* Sends a chosen bundle in parts that survive a broken connection, and then the form with
   the upload's id. Without it, the form carries the file itself. */
(() => {
  const form = document.querySelector("[data-upload-form]");
  const panel = document.querySelector("[data-upload]");
  const tus = globalThis.tus;
  if (!form || !panel || !tus?.isSupported) return;

  const partBytes = 8 * 2 ** 20;
  const announceEvery = 10000;
  const keptFor = 24 * 60 * 60 * 1000;
  const pauses = [0, 1000, 2000, 4000, 8000, 15000, 30000];
  const passing = new Set([0, 408, 409, 423, 429, 460, 500, 502, 503, 504]);

  const input = form.querySelector("input[type=file]");
  const part = (name) => panel.querySelector(`[data-upload-${name}]`);
  const [bar, figures, status] = [part("bar"), part("figures"), part("status")];
  const [pause, giveUp, checking] = [part("pause"), part("give-up"), part("checking")];
  const endpoint = new URL(panel.dataset.endpoint, location.href).href;
  const language = document.documentElement.lang;

  let upload;
  let state = "idle";
  let submitter;
  let checksum = "";
  let announcedAt = 0;
  let measured = [];

  const fill = (name, values = {}) => {
    const text = panel.dataset[`text${name}`] ?? name;
    return text.replace(/\{(\w+)\}/g, (whole, key) => values[key] ?? whole);
  };

  const mebibytes = (bytes) => {
    const digits =
      bytes && bytes < 2 ** 20 ? { maximumSignificantDigits: 1 } : { maximumFractionDigits: 1 };
    return new Intl.NumberFormat(language, digits).format(bytes / 2 ** 20);
  };

  const duration = (seconds) =>
    seconds < 90
      ? fill("Seconds", { count: Math.max(1, Math.round(seconds)) })
      : fill("Minutes", { count: Math.round(seconds / 60) });

  /* Bytes a second over the last ten seconds; nothing before there is enough to say. */
  const speedNow = (sent) => {
    const now = performance.now();
    measured.push([now, sent]);
    measured = measured.filter(([at]) => now - at < 10000);
    const [at, before] = measured[0];
    return now - at < 500 ? null : ((sent - before) * 1000) / (now - at);
  };

  const announce = (text, force = false) => {
    if (!force && Date.now() - announcedAt < announceEvery) return;
    announcedAt = Date.now();
    status.textContent = text;
  };

  const showProgress = (sent, size) => {
    if (state !== "sending") return;
    const values = { sent: mebibytes(sent), size: mebibytes(size) };
    const speed = speedNow(sent);
    let text = fill("Sent", values);
    if (speed) {
      const left = duration((size - sent) / speed);
      text = fill("Speed", { ...values, speed: mebibytes(speed), left });
    }
    bar.value = size ? sent / size : 1;
    figures.textContent = text;
    announce(text);
  };

  const enter = (next, text) => {
    state = next;
    panel.dataset.state = next;
    panel.hidden = next === "idle";
    const busy = next !== "idle";
    for (const each of form.querySelectorAll("button[type=submit], select")) {
      each.disabled = busy;
    }
    input.disabled = busy;
    pause.textContent = fill(next === "sending" ? "Pause" : "Resume");
    if (text) announce(text, true);
  };

  /* The source of the parts: each is digested before it goes. */
  const digested = {
    openFile: async (file) => ({
      size: file.size,
      slice: async (start, end) => {
        const value = file.slice(start, end);
        checksum = "";
        if (globalThis.crypto?.subtle) {
          const bytes = await value.arrayBuffer();
          const digest = await crypto.subtle.digest("SHA-256", bytes);
          checksum = btoa(String.fromCharCode(...new Uint8Array(digest)));
        }
        return { value, done: end >= file.size };
      },
      close: () => {},
    }),
  };

  const statusOf = (error) => error.originalResponse?.getStatus() ?? 0;

  const explain = (error) => {
    if (error.causingError?.name === "NotReadableError") return fill("Unreadable");
    const code = statusOf(error) || Number(error.causingError?.status ?? 0);
    if (code === 401 || code === 403) return fill("SignedOut");
    try {
      const { detail } = JSON.parse(error.originalResponse.getBody());
      if (detail) return fill("Refused", { reason: detail });
    } catch {
      // No answer, or none of ours.
    }
    return fill("Lost");
  };

  const options = () => ({
    endpoint,
    chunkSize: partBytes,
    retryDelays: pauses,
    headers: { "X-CSRFToken": form.querySelector("[name=csrfmiddlewaretoken]").value },
    metadata: { filename: input.files[0].name },
    fileReader: digested,
    onBeforeRequest: (request) => {
      if (request.getMethod() === "PATCH" && checksum) {
        request.setHeader("Upload-Checksum", `sha256 ${checksum}`);
      }
    },
    onAfterResponse: (request, response) => {
      const code = response.getStatus();
      // Otherwise the answer to somebody signed out would count as "no such upload".
      if (code === 401 || code === 403) {
        throw Object.assign(new Error("signed out"), { status: code });
      }
    },
    onShouldRetry: (error) => {
      const again =
        passing.has(statusOf(error)) &&
        !error.causingError?.status &&
        error.causingError?.name !== "NotReadableError" &&
        navigator.onLine;
      if (again && state === "sending") {
        measured = [];
        figures.textContent = fill("Again");
        announce(fill("Again"), true);
      }
      return again;
    },
    onProgress: showProgress,
    onError: (error) => {
      if (state !== "sending") return;
      enter("broken", explain(error));
      figures.textContent = explain(error);
    },
    onSuccess: submitUploaded,
  });

  const start = async () => {
    const file = input.files[0];
    measured = [];
    enter("sending", fill("Begin", { name: file.name }));
    upload = new tus.Upload(file, options());
    const earlier = (await upload.findPreviousUploads()).filter(isFresh);
    if (earlier.length) upload.resumeFromPreviousUpload(earlier.at(-1));
    if (state === "sending") upload.start();
  };

  const field = (name, value) => {
    const element = document.createElement("input");
    Object.assign(element, { type: "hidden", name, value });
    form.append(element);
  };

  /* The second half: nothing is sent any more, and the answer is a page. */
  function submitUploaded() {
    enter("checking", fill("Checking"));
    bar.value = 1;
    figures.textContent = fill("Arrived");
    checking.hidden = false;
    pause.hidden = giveUp.hidden = true;
    form.querySelector("input[name=upload]")?.remove();
    field("upload", upload.url.split("/").filter(Boolean).at(-1));
    field(submitter?.name || "submit", "1");
    // Fields that are disabled are not sent; the file is there already.
    for (const each of form.querySelectorAll("select")) each.disabled = false;
    // A button of that name hides the method of the form itself.
    HTMLFormElement.prototype.submit.call(form);
  }

  const isFresh = (stored) =>
    Boolean(stored.uploadUrl) && Date.now() - Date.parse(stored.creationTime) < keptFor;

  /* Names the upload that a reload or a crash interrupted, if the server still has it. */
  const remember = async () => {
    const storage = tus.defaultOptions.urlStorage;
    for (const stored of await storage.findAllUploads()) {
      const known = isFresh(stored) && stored.uploadUrl.startsWith(endpoint);
      const response = known
        ? await fetch(stored.uploadUrl, { headers: { Accept: "application/json" } })
        : null;
      const found = response?.ok ? await response.json() : null;
      if (found && found.offset !== null) {
        const percent = Math.floor((100 * found.offset) / (found.length_bytes || 1));
        const note = document.querySelector("[data-upload-note]");
        note.textContent = fill("Earlier", { name: found.file_name, percent });
        note.hidden = state !== "idle";
      } else if (!known || response.status === 404 || found) {
        await storage.removeUpload(stored.urlStorageKey);
      }
    }
  };

  form.addEventListener("submit", (event) => {
    if (!input.files.length || state !== "idle") return;
    event.preventDefault();
    submitter = event.submitter;
    document.querySelector("[data-upload-note]").hidden = true;
    start();
  });

  pause.addEventListener("click", () => {
    if (state === "sending") {
      upload.abort();
      enter("paused", fill("Paused"));
      figures.textContent = fill("Paused");
    } else {
      measured = [];
      enter("sending", fill("Again"));
      upload.start();
    }
  });

  giveUp.addEventListener("click", async () => {
    enter("idle");
    await upload.abort(true).catch(() => {});
    input.focus();
  });

  addEventListener("online", () => {
    if (state !== "broken") return;
    enter("sending", fill("Again"));
    upload.start();
  });

  // Back from the report, the form begins anew.
  addEventListener("pageshow", (event) => {
    if (event.persisted) location.reload();
  });

  input.addEventListener("change", () => form.querySelector("input[name=upload]")?.remove());
  remember().catch(() => {});
})();
