// hvigorw: assembleHap, clean and --version of the simulated toolchain.

import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { ModuleBuild } from './build.mjs';
import { Console } from './console.mjs';
import { NotSimulated, TaskFailed, UsageError } from './problems.mjs';
import { Project } from './project.mjs';

const VERSION = '6.1.0-simulated';
const EXIT = { ok: 0, failed: 255, notSimulated: 3 };
const FLAGS_WITH_VALUE = new Set(['--mode', '-m', '--config', '-c']);

/** Tasks, `-p key=value` settings and flags of a command line. */
function readArguments(words) {
  const tasks = [];
  const settings = new Map();
  const flags = new Set();
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (word === '-p' || word === '--prop') {
      const [key, ...value] = (words[++at] ?? '').split('=');
      settings.set(key, value.join('='));
    } else if (FLAGS_WITH_VALUE.has(word)) settings.set(word.replace(/^-+/, ''), words[++at]);
    else if (word.startsWith('-')) flags.add(word);
    else tasks.push(word);
  }
  return { tasks, settings, flags };
}

/** The entry modules to build and their target, by `-p module=entry@default`. */
function chosenModules(project, settings) {
  const wanted =
    settings
      .get('module')
      ?.split(',')
      .map((each) => each.split('@')) ?? null;
  const entries = project.modules.filter((each) => each.about?.type === 'entry');
  if (!wanted) return entries.map((module) => ({ module, target: 'default' }));
  return wanted.map(([name, target = 'default']) => {
    const module = entries.find((each) => each.name === name);
    if (!module)
      throw new UsageError(
        `Unknown module '${name}'. Known: ${entries.map((each) => each.name).join(', ') || 'none'}.`,
      );
    return { module, target };
  });
}

function assembleHap(root, settings, console) {
  const project = new Project(root);
  const first = project.modules[0]?.name ?? 'entry';
  if (project.findings.length) throw new TaskFailed(`:${first}:default@PreBuild`, project.findings);
  const product = settings.get('product') || 'default';
  for (const { module, target } of chosenModules(project, settings)) {
    const build = new ModuleBuild(project, module, { product, target });
    console.upToDate(`:${module.name}:${target}@PreBuild`);
    for (const task of build.tasks()) {
      const started = performance.now();
      build.run(task);
      console.finished(task[0], performance.now() - started);
      console.warnings(build.warnings.splice(0));
    }
    console.unsigned(root);
    console.finished(`:${module.name}:${target}@SignHap`, 1);
    console.finished(`:${module.name}:assembleHap`, 1);
  }
}

function clean(root, console) {
  const project = new Project(root);
  for (const module of project.modules) {
    rmSync(join(root, module.folder, 'build'), { recursive: true, force: true });
    console.finished(`:${module.name}:clean`, 1);
  }
}

const TASKS = { assembleHap, clean: (root, _settings, console) => clean(root, console) };

/** Run one command line in `root` and return the exit status. */
export function main(words, root, write) {
  const { tasks, settings, flags } = readArguments(words);
  if (flags.has('--version') || flags.has('-v')) {
    write(`${VERSION}\n`);
    return EXIT.ok;
  }
  const console = new Console(write);
  try {
    if (!tasks.length)
      throw new UsageError(`No task given. Known: ${Object.keys(TASKS).join(', ')}.`);
    for (const task of tasks) {
      if (!TASKS[task]) throw new NotSimulated(`hvigor task ${task}`);
      TASKS[task](resolve(root), settings, console);
    }
    console.successful();
    return EXIT.ok;
  } catch (error) {
    if (error instanceof TaskFailed) {
      console.failed(error.task, error.findings, error.warnings);
      return EXIT.failed;
    }
    if (error instanceof UsageError) {
      console.line(`> hvigor ERROR: ${error.message}`);
      return EXIT.failed;
    }
    if (error instanceof NotSimulated) {
      console.line(`not simulated: ${error.message}`);
      return EXIT.notSimulated;
    }
    throw error;
  }
}
