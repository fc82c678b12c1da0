// Loads the compiled sources of a package. The code runs in this very process: neither
// this loader nor node:vm keeps hostile code in. The device starts the process in a sandbox.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileFunction } from 'node:vm';

import { asBlock } from '../block.mjs';
import { globalsFor } from './globals.mjs';
import { makeKits } from './kits/index.mjs';

export class Modules {
  constructor(folder, app) {
    const packed = JSON.parse(readFileSync(join(folder, 'ets', 'modules.json'), 'utf8'));
    this.app = app;
    this.code = packed.modules; // path -> { code, imports }
    this.pagesByUrl = packed.pages; // url -> path
    this.routeMap = packed.routes;
    this.loaded = new Map();
    this.kits = makeKits(app);
    this.globals = globalsFor(app);
  }

  /** The exports of a source file, run once. */
  load(path) {
    if (this.loaded.has(path)) return this.loaded.get(path).exports;
    const { code, imports } = this.code[path];
    const module = { exports: {}, entry: null };
    this.loaded.set(path, module);
    const require = (name) => (imports[name] ? this.load(imports[name]) : this.kits.module(name));
    const $entry = (component) => {
      module.entry = component;
    };
    const { exports } = module;
    const scope = { exports, require, $entry, $ui: this.app.ui, ...this.globals };
    const run = compileFunction(asBlock(code), Object.keys(scope), { filename: path });
    run.apply(undefined, Object.values(scope));
    return module.exports;
  }

  /** The module of a page url such as 'pages/Index'; null if there is no such page. */
  page(url) {
    const path = this.pagesByUrl[url];
    if (!path) return null;
    this.load(path);
    const module = this.loaded.get(path);
    if (!module.entry) throw new Error(`The page ${url} has no @Entry component.`);
    return module;
  }

  bySource(path) {
    const known = Object.keys(this.code).find((each) => each === path || each.endsWith(`/${path}`));
    return known ? this.load(known) : null;
  }
}
