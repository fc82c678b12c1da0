// Key-value files in the private storage of the app.

import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

class Store {
  constructor(file) {
    this.file = file;
    this.values = new Map(
      existsSync(file) ? Object.entries(JSON.parse(readFileSync(file, 'utf8'))) : [],
    );
  }

  has(name) {
    return this.values.has(name);
  }
  get(name) {
    return this.values.get(name);
  }

  set(name, value) {
    this.values.set(name, value);
    this.save();
  }

  delete(name) {
    const had = this.values.delete(name);
    this.save();
    return had;
  }

  /** Write everything at once, so that a crash leaves the old file or the new one. */
  save() {
    writeFileSync(`${this.file}.new`, JSON.stringify(Object.fromEntries(this.values)));
    renameSync(`${this.file}.new`, this.file);
  }
}

export class Stores {
  constructor(folder) {
    this.folder = folder;
    this.opened = new Map();
    mkdirSync(folder, { recursive: true });
  }

  open(name) {
    if (!this.opened.has(name)) this.opened.set(name, new Store(this.fileOf(name)));
    return this.opened.get(name);
  }

  delete(name) {
    this.opened.delete(name);
    rmSync(this.fileOf(name), { force: true });
  }

  exists(name) {
    return existsSync(this.fileOf(name));
  }

  fileOf(name) {
    return join(this.folder, `${encodeURIComponent(name)}.json`);
  }
}
