// Reads a project and checks its configuration files. hvigorfile.ts is never run.

import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { parseJson5 } from './json5.mjs';
import { NotSimulated } from './problems.mjs';

// One code for all of these: public logs give no list of hvigor's own.
const CONFIGURATION = '00303038';
const TITLE = 'Configuration Error';

/** A project with what its files say; `findings` is empty when they are all in order. */
export class Project {
  constructor(root) {
    this.root = root;
    this.findings = [];
    this.app = this.readJson('AppScope/app.json5');
    this.profile = this.readJson('build-profile.json5');
    this.readJson('oh-package.json5');
    this.needFile('hvigorfile.ts');
    this.modules = this.readModules();
    if (!this.findings.length) this.checkApp();
  }

  report(place, message) {
    this.findings.push({ ...place, title: TITLE, code: CONFIGURATION, message });
  }

  needFile(path) {
    const full = join(this.root, path);
    if (existsSync(full) && statSync(full).isFile()) return true;
    this.report({ file: full, line: 1, column: 1 }, `The file ${path} does not exist.`);
    return false;
  }

  /** Parse one JSON5 file; null (and a finding) when that fails. */
  readJson(path) {
    if (!this.needFile(path)) return null;
    const parsed = parseJson5(join(this.root, path), readFileSync(join(this.root, path), 'utf8'));
    for (const each of parsed.findings) this.report(each, `Malformed JSON5: ${each.message}`);
    if (!parsed.findings.length && (typeof parsed.value !== 'object' || parsed.value === null)) {
      this.report(parsed.at(), 'An object is expected.');
      return null;
    }
    return parsed.findings.length ? null : parsed;
  }

  readModules() {
    if (!this.profile) return [];
    const listed = this.profile.value.modules;
    if (!Array.isArray(listed) || !listed.length) {
      this.report(this.profile.at('modules'), "'modules' must list at least one module.");
      return [];
    }
    return listed
      .map((each, index) => {
        if (typeof each?.name !== 'string' || typeof each?.srcPath !== 'string') {
          this.report(this.profile.at('modules', index), "A module needs 'name' and 'srcPath'.");
          return null;
        }
        return this.readModule(each);
      })
      .filter(Boolean);
  }

  readModule({ name, srcPath }) {
    const folder = srcPath.replace(/^\.\//, '').replace(/\/$/, '');
    if (!existsSync(join(this.root, folder))) {
      this.report(
        this.profile.at('modules'),
        `The module folder ${srcPath} of '${name}' does not exist.`,
      );
      return null;
    }
    this.needFile(`${folder}/hvigorfile.ts`);
    const profile = this.readJson(`${folder}/build-profile.json5`);
    const pack = this.readJson(`${folder}/oh-package.json5`);
    const file = this.readJson(`${folder}/src/main/module.json5`);
    const module = { name, folder, profile, pack, file, about: file?.value.module };
    if (file) this.checkModule(module);
    return module;
  }

  checkModule({ name, folder, file, about }) {
    if (typeof about !== 'object' || about === null) {
      this.report(file.at(), "Schema validate failed: 'module' is missing.");
      return;
    }
    if (about.name !== name)
      this.report(
        file.at('module', 'name'),
        `Schema validate failed: module name '${about.name}' differs from '${name}' in build-profile.json5.`,
      );
    if (!['entry', 'feature', 'har', 'shared'].includes(about.type))
      this.report(
        file.at('module', 'type'),
        `Schema validate failed: 'type' must be entry, feature, har or shared, not ${JSON.stringify(about.type)}.`,
      );
    if (about.type !== 'entry') return;
    const abilities = Array.isArray(about.abilities) ? about.abilities : [];
    if (!abilities.length)
      this.report(
        file.at('module', 'abilities'),
        "Schema validate failed: an entry module needs at least one ability in 'abilities'.",
      );
    if (about.mainElement && !abilities.some((each) => each?.name === about.mainElement)) {
      this.report(
        file.at('module', 'mainElement'),
        `Schema validate failed: mainElement '${about.mainElement}' is none of the abilities.`,
      );
    }
    abilities.forEach((ability, index) => this.checkAbility(ability, index, folder, file));
  }

  checkAbility(ability, index, folder, file) {
    const at = (...keys) => file.at('module', 'abilities', index, ...keys);
    if (typeof ability?.name !== 'string')
      this.report(at('name'), "Schema validate failed: an ability needs a 'name'.");
    if (typeof ability?.srcEntry !== 'string') {
      this.report(
        at('srcEntry'),
        `Schema validate failed: the ability '${ability?.name}' needs 'srcEntry'.`,
      );
    } else if (!existsSync(join(this.root, folder, 'src/main', ability.srcEntry))) {
      this.report(
        at('srcEntry'),
        `The srcEntry file ${ability.srcEntry} of ability '${ability.name}' does not exist.`,
      );
    }
  }

  checkApp() {
    const app = this.app.value.app;
    if (typeof app?.bundleName !== 'string' || !/^[A-Za-z][\w]*(\.\w+)+$/.test(app.bundleName)) {
      this.report(
        this.app.at('app', 'bundleName'),
        `Schema validate failed: bundleName ${JSON.stringify(app?.bundleName)} is no valid bundle name, such as com.example.app.`,
      );
    }
    for (const [key, type] of [
      ['versionCode', 'number'],
      ['versionName', 'string'],
    ]) {
      if (typeof app?.[key] !== type)
        this.report(this.app.at('app', key), `Schema validate failed: '${key}' must be a ${type}.`);
    }
    for (const module of this.modules) this.checkDependencies(module);
  }

  /** Packages from a registry cannot be had here; local folders can. */
  checkDependencies(module) {
    module.packages = new Map();
    for (const [name, from] of Object.entries(module.pack?.value.dependencies ?? {})) {
      const local = /^file:(.*)$/.exec(String(from));
      if (!local) {
        if (
          !existsSync(join(this.root, module.folder, 'oh_modules', name)) &&
          !existsSync(join(this.root, 'oh_modules', name))
        )
          throw new NotSimulated(`ohpm package ${name}`);
        continue;
      }
      const folder = join(module.folder, local[1]);
      const target = this.modules.find((each) => each.folder === folder.replace(/\/$/, ''));
      if (target) module.packages.set(name, target);
      else
        this.report(
          module.pack.at('dependencies', name),
          `The local dependency '${name}' (${from}) is no module of the project.`,
        );
    }
  }
}
