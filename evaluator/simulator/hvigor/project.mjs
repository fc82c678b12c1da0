// Reads a project and checks its configuration files. hvigorfile.ts is never run.

import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { parseJson5 } from './json5.mjs';
import { NotSimulated } from './problems.mjs';

// One code for all of these: public logs give no list of hvigor's own.
const CONFIGURATION = '00303038';
const TITLE = 'Configuration Error';

const shown = (value) => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value));
const isSource = (path) => /\.e?ts$/.test(path) && existsSync(path) && statSync(path).isFile();

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
        `Schema validate failed: module name ${shown(about.name)} differs from '${name}' in build-profile.json5.`,
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
        `Schema validate failed: mainElement ${shown(about.mainElement)} is none of the abilities.`,
      );
    }
    this.checkAbilities('abilities', folder, file);
    this.checkAbilities('extensionAbilities', folder, file);
    if (about.srcEntry !== undefined)
      this.checkEntry(about.srcEntry, 'the module', {
        folder,
        place: file.at('module', 'srcEntry'),
      });
  }

  checkAbilities(list, folder, file) {
    const abilities = file.value.module[list];
    if (abilities !== undefined && !Array.isArray(abilities))
      this.report(file.at('module', list), `Schema validate failed: '${list}' must be a list.`);
    for (const [index, ability] of Array.isArray(abilities) ? abilities.entries() : []) {
      const at = (key) => file.at('module', list, index, key);
      const name = shown(ability?.name);
      if (typeof ability?.name !== 'string')
        this.report(at('name'), "Schema validate failed: an ability needs a 'name'.");
      this.checkEntry(ability?.srcEntry, `the ability ${name}`, { folder, place: at('srcEntry') });
    }
  }

  checkEntry(srcEntry, owner, { folder, place }) {
    if (typeof srcEntry !== 'string')
      this.report(place, `Schema validate failed: ${owner} needs 'srcEntry'.`);
    else if (!isSource(join(this.root, folder, 'src/main', srcEntry)))
      this.report(place, `The srcEntry file ${srcEntry} of ${owner} does not exist.`);
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
    const dependencies = module.pack?.value.dependencies ?? {};
    if (typeof dependencies !== 'object' || Array.isArray(dependencies))
      return this.report(module.pack.at('dependencies'), "'dependencies' must be an object.");
    for (const [name, from] of Object.entries(dependencies)) {
      if (typeof from !== 'string') {
        this.report(module.pack.at('dependencies', name), `The version of '${name}' is no text.`);
        continue;
      }
      const local = /^file:(.*)$/.exec(from);
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
