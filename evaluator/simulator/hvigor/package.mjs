// Writes the HAP of an entry module.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { zip } from './zip.mjs';

const json = (value) => Buffer.from(`${JSON.stringify(value, null, 1)}\n`, 'utf8');

/** `module.json` of the package: the app and the module, as the device installs them. */
function moduleFile(project, module, sources) {
  const { app } = project.app.value;
  const about = module.about;
  return {
    app: {
      bundleName: app.bundleName,
      vendor: app.vendor ?? '',
      versionCode: app.versionCode,
      versionName: app.versionName,
      label: app.label,
      icon: app.icon,
      debug: true,
    },
    module: {
      ...about,
      mainElement: about.mainElement ?? about.abilities[0].name,
      abilities: about.abilities.map((each) => ({
        ...each,
        sourcePath: sources.packed(join(project.root, module.folder, 'src/main', each.srcEntry)),
      })),
    },
  };
}

/** Pack everything and return the path of the HAP. */
export function writeHap(project, module, { table, sources, pages, routes, product, target }) {
  const files = new Map();
  const packedPages = Object.fromEntries(
    [...pages].map(([url, path]) => [url, sources.packed(path)]),
  );
  files.set('module.json', json(moduleFile(project, module, sources)));
  files.set(
    'ets/modules.json',
    json({ format: 1, pages: packedPages, routes, modules: sources.compile() }),
  );
  files.set('resources/resources.index.json', json(table.index));
  for (const [name, path] of table.files) files.set(`resources/${name}`, readFileSync(path));
  const output = join(
    project.root,
    module.folder,
    'build',
    product,
    'outputs',
    target,
    `${module.name}-${target}-unsigned.hap`,
  );
  mkdirSync(dirname(output), { recursive: true });
  writeFileSync(output, zip(files));
  return output;
}
