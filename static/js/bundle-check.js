/* Looks into a chosen bundle before a byte of it is sent: the directory at the end of a
   zip and its manifest. What the server would refuse for sure is told at once; the whole
   check stays the server's. Files may be dropped on the form. */
(() => {
  const form = document.querySelector("[data-upload-form]");
  const panel = document.querySelector("[data-bundle-check]");
  const source = document.getElementById("bundle-facts");
  if (!form || !panel || !source || !Blob.prototype.arrayBuffer) return;

  const facts = JSON.parse(source.textContent);
  const input = form.querySelector("input[type=file]");
  const status = panel.querySelector("[data-bundle-status]");
  const problems = panel.querySelector("[data-bundle-problems]");
  const list = problems.querySelector("ul");
  const anyway = panel.querySelector("[data-bundle-anyway]");
  const language = document.documentElement.lang;
  const endBytes = 22;
  const mostComment = 65535;
  const listed = 8;

  class Problem extends Error {
    constructor(name, values = {}) {
      super(name);
      this.text = fill(name, values);
    }
  }

  const fill = (name, values) => {
    const text = panel.dataset[`text${name}`] ?? name;
    return text.replace(/\{(\w+)\}/g, (whole, key) => values[key] ?? whole);
  };

  const mebibytes = (bytes) => {
    const digits =
      bytes && bytes < 2 ** 20 ? { maximumSignificantDigits: 1 } : { maximumFractionDigits: 1 };
    return new Intl.NumberFormat(language, digits).format(bytes / 2 ** 20);
  };

  const some = (names) => {
    const first = names.slice(0, listed).join(", ");
    return names.length > listed ? `${first}, …` : first;
  };

  const view = async (file, start, end) =>
    new DataView(await file.slice(start, end).arrayBuffer());

  /* Where the directory of a zip lies, as the server reads it: no comment, no zip64. */
  const findDirectory = async (file) => {
    const at = Math.max(0, file.size - endBytes - mostComment);
    const tail = await view(file, at, file.size);
    const last = tail.byteLength - endBytes;
    const isEnd = (place) => tail.getUint32(place, true) === 0x06054b50;
    if (last < 0 || !isEnd(last)) {
      for (let place = last - 1; place >= 0; place -= 1) {
        if (isEnd(place)) throw new Problem("Features");
      }
      throw new Problem("CutOff");
    }
    const count = tail.getUint16(last + 10, true);
    const offset = tail.getUint32(last + 16, true);
    if (count === 0xffff || offset === 0xffffffff) throw new Problem("Features");
    if (count > facts.limits.entries) {
      throw new Problem("TooMany", { count, limit: facts.limits.entries });
    }
    return { count, offset, size: tail.getUint32(last + 12, true) };
  };

  const readEntries = async (file) => {
    const found = await findDirectory(file);
    const directory = await view(file, found.offset, found.offset + found.size);
    const entries = [];
    let at = 0;
    for (let number = 0; number < found.count; number += 1) {
      if (at + 46 > directory.byteLength || directory.getUint32(at, true) !== 0x02014b50) {
        throw new Problem("CutOff");
      }
      const short = (place) => directory.getUint16(at + place, true);
      const name = new Uint8Array(directory.buffer, at + 46, short(28));
      entries.push({
        name: new TextDecoder().decode(name),
        encrypted: (short(8) & 1) === 1,
        method: short(10),
        packed: directory.getUint32(at + 20, true),
        size: directory.getUint32(at + 24, true),
        offset: directory.getUint32(at + 42, true),
      });
      at += 46 + short(28) + short(30) + short(32);
    }
    return entries;
  };

  const readText = async (file, entry) => {
    const head = await view(file, entry.offset, entry.offset + 30);
    const start = entry.offset + 30 + head.getUint16(26, true) + head.getUint16(28, true);
    const packed = file.slice(start, start + entry.packed);
    if (entry.method === 0) return packed.text();
    const plain = packed.stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return new Response(plain).text();
  };

  /* The shape of an upload, by all its names together. */
  const shapeOf = (names) => {
    const shapes = facts.shapes.map((shape) => ({
      name: shape.name,
      reads: new RegExp(shape.reads),
      passes: shape.passes ? new RegExp(shape.passes) : null,
      folders: new RegExp(shape.folders),
    }));
    return shapes.find((shape) => names.some((name) => shape.reads.test(name))) ?? shapes[0];
  };

  const checkNames = (entries) => {
    const found = [];
    const names = entries.map((entry) => entry.name);
    const [folder] = (names[0] ?? "").split("/");
    const wrapped = names.includes(`${folder}/${facts.manifest}`);
    if (wrapped && names.every((name) => name.startsWith(`${folder}/`))) {
      return [fill("Wrapped", { folder })];
    }
    const shape = shapeOf(names);
    const foreign = names.filter((name) =>
      name.endsWith("/")
        ? !shape.folders.test(name)
        : name !== facts.manifest && !shape.reads.test(name) && !shape.passes?.test(name),
    );
    if (foreign.length) {
      found.push(fill("Foreign", { count: foreign.length, names: some(foreign) }));
    }
    const seen = new Set();
    const twice = names.filter((name) => {
      const key = name.normalize("NFC").toLowerCase().replace(/\/+$/, "");
      return seen.has(key) || !seen.add(key);
    });
    if (twice.length) found.push(fill("Twice", { names: some(twice) }));
    const locked = entries.filter((entry) => entry.encrypted).map((entry) => entry.name);
    if (locked.length) found.push(fill("Encrypted", { names: some(locked) }));
    const large = entries.filter((entry) => entry.size > facts.limits.member_bytes);
    if (large.length) {
      found.push(
        fill("Large", {
          limit: mebibytes(facts.limits.member_bytes),
          names: some(large.map((entry) => entry.name)),
        }),
      );
    }
    return found;
  };

  const readManifest = async (file, entries) => {
    const entry = entries.find((each) => each.name === facts.manifest);
    if (!entry) throw new Problem("NoManifest");
    if (entry.size > facts.limits.manifest_bytes || entry.encrypted) return null;
    if (entry.method !== 0 && !globalThis.DecompressionStream) return null;
    const text = await readText(file, entry);
    try {
      const manifest = JSON.parse(text);
      if (manifest && typeof manifest === "object") return manifest;
    } catch (error) {
      throw new Problem("NotJson", { reason: error.message });
    }
    throw new Problem("NotJson", { reason: "{ }" });
  };

  const snapshotOf = (manifest) => {
    const snapshot = facts.snapshots.find(
      (each) =>
        each.benchmark === manifest.benchmark && each.version === manifest.benchmark_version,
    );
    if (snapshot) return snapshot;
    throw new Problem("Closed", {
      version: String(manifest.benchmark_version ?? "—").slice(0, 80),
      open: facts.snapshots.map((each) => each.version).join(", ") || "—",
    });
  };

  const checkTaskRuns = (entries, snapshot) => {
    const unit = new RegExp(facts.unit);
    const names = new Set(entries.map((entry) => entry.name));
    const tasks = new Set(snapshot.tasks);
    const { runs, version } = snapshot;
    const missing = [];
    for (let run = 1; run <= runs; run += 1) {
      for (const task of snapshot.tasks) {
        if (!names.has(`runs/${run}/${task}/${facts.required}`)) missing.push(`${run}/${task}`);
      }
    }
    const unknown = new Set();
    for (const name of names) {
      const place = unit.exec(name)?.groups;
      if (place && (!tasks.has(place.task) || Number(place.run) > runs)) {
        unknown.add(`${place.run}/${place.task}`);
      }
    }
    const found = [];
    if (missing.length) {
      const values = { count: missing.length, total: runs * tasks.size, version };
      found.push(fill("Missing", { ...values, names: some(missing) }));
    }
    if (unknown.size) found.push(fill("Unknown", { version, names: some([...unknown]) }));
    return found;
  };

  const checkZip = async (file) => {
    const entries = await readEntries(file);
    const found = checkNames(entries);
    try {
      const manifest = await readManifest(file, entries);
      if (manifest) {
        const snapshot = snapshotOf(manifest);
        const native = shapeOf(entries.map((entry) => entry.name)).name === "bundle";
        // The agent of a configuration is run by the server: there is no work to look for.
        const finished = manifest.mode !== "configuration";
        if (native && finished) found.push(...checkTaskRuns(entries, snapshot));
      }
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      // A folder around everything explains that the manifest is not where it belongs.
      if (error.message !== "NoManifest" || !found.length) found.push(error.text);
    }
    return { found, summary: fill("Zip", { count: entries.length, size: mebibytes(file.size) }) };
  };

  const check = async (file) => {
    if (file.size > facts.limits.upload_bytes) {
      const limit = mebibytes(facts.limits.upload_bytes);
      throw new Problem("TooLarge", { size: mebibytes(file.size), limit });
    }
    const magic = new Uint8Array(await file.slice(0, 2).arrayBuffer());
    if (magic[0] === 0x1f && magic[1] === 0x8b) {
      return { found: [], summary: fill("Gzip", { size: mebibytes(file.size) }) };
    }
    if (magic[0] !== 0x50 || magic[1] !== 0x4b) throw new Problem("Neither");
    return checkZip(file);
  };

  let latest = 0;

  const show = ({ found, summary }) => {
    form.dataset.bundle = found.length ? "wrong" : "sound";
    list.replaceChildren(
      ...found.map((text) => {
        const item = document.createElement("li");
        item.textContent = text;
        return item;
      }),
    );
    problems.hidden = anyway.hidden = !found.length;
    status.textContent = found.length ? "" : summary;
    panel.hidden = false;
    input.toggleAttribute("aria-invalid", found.length > 0);
    form.dispatchEvent(new Event("bundle-checked"));
  };

  const look = async () => {
    const file = input.files[0];
    latest += 1;
    const mine = latest;
    delete form.dataset.bundle;
    panel.hidden = true;
    problems.hidden = anyway.hidden = true;
    if (!file) return;
    form.dataset.bundle = "reading";
    let result;
    try {
      result = await check(file);
    } catch (error) {
      // What cannot be looked into here, the server can.
      const found = error instanceof Problem ? [error.text] : [];
      result = { found, summary: fill("Unread", { size: mebibytes(file.size) }) };
    }
    if (mine === latest) show(result);
  };

  form.addEventListener("submit", (event) => {
    if (form.dataset.bundle === "reading") {
      event.preventDefault();
      event.stopImmediatePropagation();
      const { submitter } = event;
      form.addEventListener("bundle-checked", () => form.requestSubmit(submitter), {
        once: true,
      });
    } else if (form.dataset.bundle === "wrong") {
      event.preventDefault();
      event.stopImmediatePropagation();
      problems.focus();
    }
  });

  anyway.addEventListener("click", () => {
    form.dataset.bundle = "anyway";
    form.requestSubmit(form.querySelector("button[name=check]"));
  });

  input.addEventListener("change", look);
  form.addEventListener("dragover", (event) => {
    if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
  });
  form.addEventListener("drop", (event) => {
    if (!event.dataTransfer?.files.length || input.disabled) return;
    event.preventDefault();
    input.files = event.dataTransfer.files;
    input.dispatchEvent(new Event("change", { bubbles: true }));
  });
  if (input.files.length) look();
})();
