// Resources of the package: values by name and locale, and what `$r` makes of them.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const LOCALE = 'en_US';

/** Where to look first: the locale, its language, the base. */
const ORDER = [LOCALE, LOCALE.split('_')[0], 'base'];

export class Resources {
  /** `folder` is the `resources` folder of an unpacked HAP. */
  constructor(folder, notSimulated) {
    this.folder = folder;
    this.notSimulated = notSimulated;
    this.index = JSON.parse(readFileSync(join(folder, 'resources.index.json'), 'utf8'));
  }

  /** `$r('app.string.title', ...params)` */
  reference(path, ...params) {
    return {
      $isResource: true,
      path,
      id: -1,
      type: path.split('.')[1],
      params,
      bundleName: '',
      moduleName: '',
    };
  }

  rawfile(path) {
    return {
      $isResource: true,
      path: `rawfile:${path}`,
      id: 0,
      type: 30000,
      params: [path],
      bundleName: '',
      moduleName: '',
    };
  }

  /** The value of one entry in the best locale; undefined if there is none. */
  lookUp(type, name) {
    const values = Object.hasOwn(this.index, type) ? this.index[type] : {};
    const entry = Object.hasOwn(values, name) ? values[name] : undefined;
    if (!entry) return undefined;
    const found = ORDER.find((each) => each in entry) ?? Object.keys(entry)[0];
    return entry[found];
  }

  /** The raw value behind a resource object. */
  value(resource) {
    if (resource.path.startsWith('rawfile:')) return resource.path.slice('rawfile:'.length);
    const [scope, type, ...rest] = resource.path.split('.');
    const name = rest.join('.');
    if (scope === 'sys') return this.system(type, name);
    const value = this.lookUp(type, name);
    if (value === undefined)
      throw Object.assign(new Error(`Resource not found: ${resource.path}`), { code: 9001001 });
    if (type === 'plural') return this.plural(value, resource.params[0]);
    return typeof value === 'string' && value.startsWith('$')
      ? this.value(
          this.reference(
            value
              .slice(1)
              .replace(':', '.')
              .replace(/^(?!app|sys)/, 'app.'),
          ),
        )
      : value;
  }

  system(type, name) {
    if (type === 'float') return '16vp';
    if (type === 'string') {
      this.notSimulated(`sys.string.${name}`);
      return name;
    }
    return `sys.${type}.${name}`;
  }

  plural(forms, count) {
    const kind = new Intl.PluralRules('en-US').select(Number(count));
    return forms[kind] ?? forms.other ?? '';
  }

  /** What a user reads: strings as they are, resources looked up and filled in. */
  text(value) {
    if (value === undefined || value === null) return '';
    if (!value.$isResource) return String(value);
    const params = value.type === 'plural' ? value.params.slice(1) : value.params;
    const found = this.value(value);
    return Array.isArray(found)
      ? found.join(', ')
      : format(
          String(found),
          params.map((each) => (each?.$isResource ? this.text(each) : each)),
        );
  }

  rawBytes(path) {
    const file = join(this.folder, 'rawfile', path);
    if (!existsSync(file))
      throw Object.assign(new Error(`The raw file ${path} does not exist.`), { code: 9001005 });
    return new Uint8Array(readFileSync(file));
  }
}

/** `%s`, `%d`, `%2$s` and `%.2f` as in resource strings. */
export function format(pattern, params) {
  let at = 0;
  if (!params.length) return pattern;
  return pattern.replace(/%(?:(\d+)\$)?(?:\.(\d+))?([sdf%])/g, (whole, position, digits, kind) => {
    if (kind === '%') return '%';
    const value = params[position ? Number(position) - 1 : at++];
    if (value === undefined) return whole;
    if (kind === 'f') return Number(value).toFixed(digits === undefined ? 6 : Number(digits));
    return kind === 'd' ? String(Math.trunc(Number(value))) : String(value);
  });
}
