// The tasks of assembleHap for one entry module.

import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { writeHap } from './package.mjs';
import { TaskFailed } from './problems.mjs';
import { ResourceTable, checkReferences } from './resources.mjs';
import { Sources } from './sources.mjs';

const GAVE_UP = '10505001';
const PAGE_MISSING = '10904101';
const ARKTS = { title: 'ArkTS Compiler Error' };

export class ModuleBuild {
  constructor(project, module, { product, target }) {
    Object.assign(this, { project, module, product, target });
    this.warnings = [];
    this.main = join(project.root, module.folder, 'src/main');
  }

  /** Every task in order, with its name as hvigor prints it. */
  tasks() {
    const name = (task) => `:${this.module.name}:${this.target}@${task}`;
    return [
      [name('GenerateMetadata'), () => {}],
      [name('CompileResource'), () => this.compileResources()],
      [name('CompileArkTS'), () => this.compileArkTs()],
      [name('PackageHap'), () => this.pack()],
    ];
  }

  compileResources() {
    this.table = new ResourceTable();
    this.table.addFolder(join(this.main, 'resources'));
    for (const each of this.module.packages?.values() ?? [])
      this.table.addFolder(join(this.project.root, each.folder, 'src/main/resources'));
    this.table.addFolder(join(this.project.root, 'AppScope/resources'));
    checkReferences(this.module.file, this.table);
    checkReferences(this.project.app, this.table);
    return this.table.findings;
  }

  compileArkTs() {
    const findings = this.readPages();
    if (findings.length) return findings;
    const roots = {
      abilities: [...this.module.about.abilities, ...(this.module.about.extensionAbilities ?? [])]
        .map((each) => join(this.main, each.srcEntry))
        .filter((path) => existsSync(path)),
      pages: this.pages,
      others: [
        this.module.about.srcEntry && join(this.main, this.module.about.srcEntry),
        ...this.readRoutes(),
      ].filter((path) => path && existsSync(path)),
    };
    this.sources = new Sources(this.project, this.module, roots);
    this.warnings = this.sources.unregisteredPages(this.pages);
    return this.sources.check(this.table).map((each) => ({ ...ARKTS, ...each }));
  }

  /** The pages of main_pages.json: url -> path of the file. */
  readPages() {
    this.pages = new Map();
    if (this.module.about.pages === undefined) return [];
    const profile = this.table.profile(this.module.about.pages);
    if (!profile || !Array.isArray(profile.value?.src)) {
      return [
        {
          ...this.module.file.at('module', 'pages'),
          ...ARKTS,
          code: PAGE_MISSING,
          message: "'pages' must name a profile with a list 'src', such as $profile:main_pages.",
        },
      ];
    }
    return profile.value.src.flatMap((url, index) => {
      const path = join(this.main, 'ets', `${url}.ets`);
      if (existsSync(path)) {
        this.pages.set(url, path);
        return [];
      }
      return [
        {
          ...profile.at('src', index),
          ...ARKTS,
          code: PAGE_MISSING,
          message: `The page '${url}' does not exist: there is no file ${path}.`,
        },
      ];
    });
  }

  readRoutes() {
    this.routes =
      this.module.about.routerMap === undefined
        ? []
        : (this.table.profile(this.module.about.routerMap)?.value.routerMap ?? []);
    return this.routes.map((each) =>
      join(this.project.root, this.module.folder, each.pageSourceFile),
    );
  }

  pack() {
    this.output = writeHap(this.project, this.module, this);
    return [];
  }

  /** Source that is nested without end is the project's fault, not a broken tool. */
  attempt(action) {
    try {
      return action() ?? [];
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      const message = `The compiler gave up: ${error.message}.`;
      return [{ ...this.module.file.at('module'), ...ARKTS, code: GAVE_UP, message }];
    }
  }

  /** Run one task; errors end the build. */
  run([name, action]) {
    const findings = this.attempt(action);
    if (findings.length) throw new TaskFailed(name, findings, this.warnings);
  }
}
