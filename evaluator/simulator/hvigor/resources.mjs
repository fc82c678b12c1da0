// Collects the resources of a module: values by name and locale, files by name.

import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { basename, extname, join } from 'node:path';

import { parseJson5 } from './json5.mjs';

const RESOURCE_ERROR = { title: 'Resource Compile Error', code: '11210000' };
const VALUE_TYPES = new Set([
  'string',
  'color',
  'float',
  'integer',
  'boolean',
  'strarray',
  'intarray',
  'plural',
  'theme',
  'pattern',
  'symbol',
  'id',
]);
const FILE_FOLDERS = new Set(['media', 'profile']);
const WHOLE_FOLDERS = new Set(['rawfile', 'resfile']);
const COLOR = /^#([0-9a-f]{3}|[0-9a-f]{4}|[0-9a-f]{6}|[0-9a-f]{8})$/i;

const entriesOf = (folder) =>
  existsSync(folder)
    ? readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
    : [];

/** An object whose keys may have any name. */
const table = () => Object.create(null);

export class ResourceTable {
  constructor() {
    this.index = table(); // type -> name -> qualifier -> value
    this.files = new Map(); // path in the package -> path on disk
    this.findings = [];
    this.places = new Map(); // where a name was first said, to tell of a second time
  }

  report(place, message) {
    this.findings.push({ ...place, ...RESOURCE_ERROR, message });
  }

  /** Add one `resources` folder; a later folder does not replace what is there. */
  addFolder(folder) {
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      if (!entry.isDirectory()) continue;
      if (WHOLE_FOLDERS.has(entry.name)) this.addWhole(path, entry.name);
      else this.addQualifier(path, entry.name);
    }
  }

  addWhole(folder, prefix) {
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) this.addWhole(path, `${prefix}/${entry.name}`);
      else if (entry.isFile()) this.addFile(`${prefix}/${entry.name}`, path);
    }
  }

  addFile(name, path) {
    if (!this.files.has(name)) this.files.set(name, path);
  }

  addQualifier(folder, qualifier) {
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      if (!entry.isDirectory()) continue;
      if (entry.name === 'element') this.addElements(path, qualifier);
      else if (FILE_FOLDERS.has(entry.name)) this.addNamedFiles(path, entry.name, qualifier);
      else
        this.report(
          { file: path, line: 1, column: 1 },
          `Unknown resource folder '${entry.name}': element, media and profile are known.`,
        );
    }
  }

  addNamedFiles(folder, type, qualifier) {
    for (const entry of entriesOf(folder).filter((each) => each.isFile())) {
      const path = join(folder, entry.name);
      const target = `${qualifier}/${type}/${entry.name}`;
      if (extname(path) === '.json') this.parse(path);
      this.addFile(target, path);
      this.set(type, basename(entry.name, extname(entry.name)), qualifier, target);
    }
  }

  set(type, name, qualifier, value) {
    const entry = ((this.index[type] ??= table())[name] ??= table());
    entry[qualifier] ??= value;
  }

  parse(path) {
    const parsed = parseJson5(path, readFileSync(path, 'utf8'));
    for (const each of parsed.findings) this.report(each, `Malformed JSON: ${each.message}`);
    return parsed.findings.length ? null : parsed;
  }

  addElements(folder, qualifier) {
    for (const entry of entriesOf(folder).filter(
      (each) => each.name.endsWith('.json') && statSync(join(folder, each.name)).isFile(),
    )) {
      const parsed = this.parse(join(folder, entry.name));
      if (parsed) this.addValues(parsed, qualifier, folder);
    }
  }

  addValues(parsed, qualifier, folder) {
    for (const [type, list] of Object.entries(parsed.value ?? {})) {
      if (!VALUE_TYPES.has(type) || !Array.isArray(list)) {
        this.report(
          parsed.at(type),
          `'${type}' is no list of a known resource type (${[...VALUE_TYPES].join(', ')}).`,
        );
        continue;
      }
      list.forEach((each, position) =>
        this.addValue(parsed, type, { each, position, qualifier, folder }),
      );
    }
  }

  addValue(parsed, type, { each, position, qualifier, folder }) {
    const at = parsed.at(type, position);
    if (typeof each?.name !== 'string' || each.value === undefined) {
      this.report(at, `A ${type} needs 'name' and 'value'.`);
      return;
    }
    const key = [folder, qualifier, type, each.name].join('\u0000');
    if (this.places.has(key))
      this.report(
        at,
        `The ${type} '${each.name}' is defined twice; first in ${this.places.get(key)}.`,
      );
    this.places.set(key, `${at.file}:${at.line}`);
    if (type === 'color' && !COLOR.test(each.value) && !String(each.value).startsWith('$')) {
      this.report(
        parsed.at(type, position, 'value'),
        `The color '${each.name}' has the value ${JSON.stringify(each.value)}; expected is #RRGGBB or #AARRGGBB.`,
      );
    }
    this.set(
      type,
      each.name,
      qualifier,
      type === 'plural'
        ? pluralForms(each.value)
        : type === 'strarray' || type === 'intarray'
          ? itemValues(each.value)
          : each.value,
    );
  }

  has(type, name) {
    return Boolean(this.index[type]?.[name]);
  }

  /** The text of `$profile:name`, parsed; null if there is none. */
  profile(reference) {
    const match = typeof reference === 'string' && /^\$profile:(.+)$/.exec(reference);
    const target = match && this.index.profile?.[match[1]]?.base;
    return target ? this.parse(this.files.get(target)) : null;
  }
}

const itemValues = (list) => (Array.isArray(list) ? list.map((each) => each?.value ?? each) : []);
const pluralForms = (list) =>
  Object.fromEntries(
    (Array.isArray(list) ? list : [])
      .filter((each) => typeof each?.quantity === 'string')
      .map((each) => [each.quantity, each.value]),
  );

const REFERENCE = /^\$(string|media|color|profile|float|integer):(.+)$/;

/** Report `$string:name` and the like that name nothing. */
export function checkReferences(parsed, table) {
  const visit = (value, keys) => {
    if (typeof value === 'string') {
      const match = REFERENCE.exec(value);
      if (match && !table.has(match[1], match[2]))
        table.report(parsed.at(...keys), `The resource reference '${value}' is not defined.`);
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, each] of Object.entries(value))
        visit(each, [...keys, Array.isArray(value) ? Number(key) : key]);
    }
  };
  visit(parsed.value, []);
}
