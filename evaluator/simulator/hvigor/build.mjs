// The tasks of assembleHap for one entry module.

import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { writeHap } from './package.mjs';
import { TaskFailed } from './problems.mjs';
import { ResourceTable, checkReferences } from './resources.mjs';
import { Sources } from './sources.mjs';

const GAVE_UP = '10505001';
const PAGE_MISSING = '10904101';
const isFile = (path) => existsSync(path) && statSync(path).isFile();
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
    const findings = [...this.readPages(), ...this.readRoutes()];
    if (findings.length) return findings;
    const { abilities, extensionAbilities = [], srcEntry } = this.module.about;
    const roots = {
      abilities: [...abilities, ...extensionAbilities].map((each) =>
        join(this.main, each.srcEntry),
      ),
      pages: this.pages,
      others: [
        ...(srcEntry ? [join(this.main, srcEntry)] : []),
        ...this.routes.map((each) => this.routeFile(each)),
      ],
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
      const path = typeof url === 'string' ? join(this.main, 'ets', `${url}.ets`) : '';
      if (isFile(path)) {
        this.pages.set(url, path);
        return [];
      }
      return [
        {
          ...profile.at('src', index),
          ...ARKTS,
          code: PAGE_MISSING,
          message: path
            ? `The page '${url}' does not exist: there is no file ${path}.`
            : `A page is named by its path, not by ${JSON.stringify(url)}.`,
        },
      ];
    });
  }

  /** The routes of the route map, each with its source file. */
  readRoutes() {
    this.routes = [];
    if (this.module.about.routerMap === undefined) return [];
    const profile = this.table.profile(this.module.about.routerMap);
    const problem = (place, message) => ({ ...place, ...ARKTS, code: PAGE_MISSING, message });
    if (!Array.isArray(profile?.value?.routerMap)) {
      const place = this.module.file.at('module', 'routerMap');
      return [problem(place, "'routerMap' must name a profile with a list 'routerMap'.")];
    }
    this.routes = profile.value.routerMap;
    return this.routes.flatMap((route, index) => {
      const place = profile.at('routerMap', index, 'pageSourceFile');
      if (typeof route?.pageSourceFile !== 'string' || typeof route.name !== 'string')
        return [problem(place, "A route needs 'name' and 'pageSourceFile'.")];
      if (isFile(this.routeFile(route))) return [];
      return [
        problem(place, `The file ${route.pageSourceFile} of '${route.name}' does not exist.`),
      ];
    });
  }

  routeFile(route) {
    return join(this.project.root, this.module.folder, route.pageSourceFile);
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
