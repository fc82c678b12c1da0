// The source files of a module: which ones count, whether they are right, what they compile to.

import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';

import { Declarations } from '../arkui/compiler/declared.mjs';
import { finding, parse, ts } from '../arkui/compiler/language.mjs';
import { lower } from '../arkui/compiler/lower.mjs';
import { shapeErrors } from '../arkui/compiler/shapes.mjs';
import { attributeErrors } from '../arkui/compiler/spelling.mjs';
import {
  grammarErrors,
  moduleNames,
  pageErrors,
  pageUses,
  resourceUses,
  uiErrors,
} from '../arkui/compiler/syntax.mjs';
import { typeCheck, unknownComponents } from '../arkui/compiler/typecheck.mjs';

const COMPILER_ERROR = '10505001';
const PLATFORM = /^(@kit\.|@ohos\.|@hms\.|@system\.|@arkts\.|lib[\w.]+\.so$)/;
const RESOURCE_TYPES = new Set([
  'string',
  'media',
  'color',
  'float',
  'integer',
  'boolean',
  'strarray',
  'intarray',
  'plural',
  'profile',
  'theme',
  'pattern',
  'symbol',
  'id',
]);

const isFile = (path) => existsSync(path) && statSync(path).isFile();

export class Sources {
  /** `roots` are the files of pages and abilities; the rest is found by imports. */
  constructor(project, module, roots) {
    this.project = project;
    this.module = module;
    this.pages = new Set(roots.pages.values());
    this.files = new Map(); // path -> parsed source
    for (const path of [...roots.abilities, ...roots.pages.values(), ...roots.others])
      this.add(path);
    // The passes below rely on whole trees: a struct has a name, an import a file.
    this.grammar = [...this.files.values()].flatMap((source) => grammarErrors(source));
    if (!this.grammar.length)
      this.declarations = new Declarations(this.files, (name, from) => this.resolve(name, from));
  }

  add(path) {
    if (this.files.has(path)) return;
    const source = parse(path, readFileSync(path, 'utf8'));
    this.files.set(path, source);
    for (const name of importedNames(source)) {
      const target = this.resolve(name, path);
      if (target) this.add(target);
    }
  }

  /** The project file behind an import; null for the platform and for what is missing. */
  resolve(name, from) {
    if (name.startsWith('.')) return fileOf(normalize(join(dirname(from), name)));
    if (PLATFORM.test(name)) return null;
    const packages = this.module.packages ?? new Map();
    for (const [alias, target] of packages) {
      if (name !== alias && !name.startsWith(`${alias}/`)) continue;
      const folder = join(this.project.root, target.folder);
      const rest = name.slice(alias.length + 1);
      return rest
        ? fileOf(join(folder, rest))
        : fileOf(join(folder, target.pack?.value.main || 'Index.ets'));
    }
    return null;
  }

  /** All errors in the order of the files; types are looked at only in well-formed sources. */
  check(resources) {
    if (this.grammar.length) return this.grammarAndComponents();
    const found = [];
    for (const [path, source] of this.files) {
      found.push(...this.missingImports(path, source), ...shapeErrors(source));
      if (path.endsWith('.ets'))
        found.push(...uiErrors(source, this.declarations), ...attributeErrors(source));
      if (this.pages.has(path)) found.push(...pageErrors(source));
      found.push(...this.unknownResources(source, resources));
    }
    found.push(...typeCheck(this.declarations, [...this.files.keys()]));
    return unique(found);
  }

  /** Grammar errors, and the misspelled component that may be behind one. */
  grammarAndComponents() {
    const inOrder = [...this.files.keys()];
    const broken = inOrder.filter((path) => this.grammar.some(({ file }) => file === path));
    const parsed = { sources: this.files, resolve: (name, from) => this.resolve(name, from) };
    return [...this.grammar, ...unknownComponents(parsed, broken)].sort(
      (a, b) =>
        inOrder.indexOf(a.file) - inOrder.indexOf(b.file) || a.line - b.line || a.column - b.column,
    );
  }

  /** Pages that are asked for but not registered: the build goes on, the app will not find them. */
  unregisteredPages(registered) {
    return [...this.files.values()].flatMap((source) =>
      pageUses(source)
        .filter(({ url }) => url.startsWith('pages/') && !registered.has(url))
        .map(({ url, place }) => ({
          ...place,
          message: `The page '${url}' is not registered in main_pages.json.`,
        })),
    );
  }

  missingImports(path, source) {
    return moduleNames(source)
      .filter((name) => !PLATFORM.test(name.text) && !this.resolve(name.text, path))
      .map((name) =>
        finding(
          source,
          name,
          COMPILER_ERROR,
          `Cannot find module '${name.text}' or its corresponding type declarations.`,
        ),
      );
  }

  unknownResources(source, resources) {
    return resourceUses(source).flatMap(({ kind, name, place }) => {
      const problem =
        kind === '$r' ? resourceProblem(name, resources) : rawfileProblem(name, resources);
      return problem ? [{ ...place, ...problem }] : [];
    });
  }

  /** Compiled code of every file: path in the package -> `{ code, imports }`. */
  compile() {
    const modules = {};
    for (const [path, source] of this.files) {
      const imports = {};
      for (const name of importedNames(source)) {
        const target = this.resolve(name, path);
        if (target) imports[name] = this.packed(target);
      }
      modules[this.packed(path)] = { code: lower(source, this.declarations), imports };
    }
    return modules;
  }

  /** The name of a source file inside the package. */
  packed(path) {
    return relative(this.project.root, path);
  }
}

/** The texts of what a parsed file imports or exports from; the grammar wants literals. */
const importedNames = (source) =>
  moduleNames(source)
    .filter((name) => ts.isStringLiteral(name))
    .map((name) => name.text);

function fileOf(path) {
  const candidates = [
    path,
    `${path}.ets`,
    `${path}.ts`,
    join(path, 'index.ets'),
    join(path, 'Index.ets'),
    join(path, 'index.ts'),
  ];
  return candidates.find((each) => /\.e?ts$/.test(each) && isFile(each)) ?? null;
}

function resourceProblem(name, resources) {
  const [scope, type, ...rest] = name.split('.');
  if (scope === 'sys') return null;
  if (scope !== 'app' && !/^\[.*\]$/.test(scope))
    return {
      code: '10903331',
      message: `Unknown resource source '${scope}': expected is 'app' or 'sys'.`,
    };
  if (!RESOURCE_TYPES.has(type))
    return { code: '10903330', message: `Unknown resource type '${type}'.` };
  return resources.has(type, rest.join('.'))
    ? null
    : { code: '10903329', message: `Unknown resource name '${rest.join('.')}'.` };
}

function rawfileProblem(name, resources) {
  const known =
    resources.files.has(`rawfile/${name}`) ||
    [...resources.files.keys()].some((path) =>
      path.startsWith(`rawfile/${name.replace(/\/$/, '')}/`),
    );
  return known
    ? null
    : { code: '10904333', message: `No such '${name}' resource in current module.` };
}

/** One finding for each place and message. */
function unique(findings) {
  const seen = new Set();
  return findings.filter((each) => {
    const key = `${each.file}:${each.line}:${each.column}:${each.message}`;
    return !seen.has(key) && seen.add(key);
  });
}
