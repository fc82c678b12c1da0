// @kit.CoreFileKit: files of the app, kept in its private storage.

import * as fs from 'node:fs';
import { dirname, join, normalize } from 'node:path';

import { answer } from '../stage.mjs';
import { openObject } from './index.mjs';

const ROOT = '/data/storage/';
const NO_SUCH_FILE = 13900002;
const CODES = {
  ENOENT: NO_SUCH_FILE,
  EEXIST: 13900015,
  ENOTDIR: 13900018,
  EISDIR: 13900019,
  EINVAL: 13900020,
  EACCES: 13900012,
};
const FLAGS = {
  READ_ONLY: 0o0,
  WRITE_ONLY: 0o1,
  READ_WRITE: 0o2,
  CREATE: 0o100,
  TRUNC: 0o1000,
  APPEND: 0o2000,
};

/** Run an operation of the system; its errors become those of the platform. */
function guarded(action) {
  try {
    return action();
  } catch (error) {
    throw Object.assign(new Error(error.message), { code: CODES[error.code] ?? 13900042 });
  }
}

/** File functions whose paths lie below the app's own folders. */
function functionsOn(folder) {
  const real = (path) => {
    const full = normalize(String(path));
    if (!full.startsWith(ROOT))
      throw Object.assign(new Error(`No such file or directory: ${path}`), { code: NO_SUCH_FILE });
    const target = join(folder, full.slice(ROOT.length));
    fs.mkdirSync(dirname(target), { recursive: true });
    return target;
  };
  const fd = (file) => (typeof file === 'object' ? file.fd : file);
  const bytes = (value) => (typeof value === 'string' ? Buffer.from(value) : new Uint8Array(value));
  return {
    access: (path) => fs.existsSync(real(path)),
    open: (path, mode = FLAGS.READ_ONLY) => ({
      fd: fs.openSync(real(path), mode, 0o600),
      path,
      name: path.split('/').at(-1),
    }),
    close: (file) => fs.closeSync(fd(file)),
    read: (file, buffer, options = {}) =>
      fs.readSync(
        file,
        new Uint8Array(buffer),
        0,
        options.length ?? buffer.byteLength,
        options.offset ?? null,
      ),
    write: (file, value, options = {}) =>
      fs.writeSync(file, bytes(value), 0, undefined, options.offset ?? null),
    readText: (path) => fs.readFileSync(real(path), 'utf8'),
    stat: (path) => {
      const found = typeof path === 'number' ? fs.fstatSync(path) : fs.statSync(real(path));
      return {
        size: found.size,
        mtime: Math.floor(found.mtimeMs / 1000),
        isFile: () => found.isFile(),
        isDirectory: () => found.isDirectory(),
      };
    },
    mkdir: (path, recursive = false) => void fs.mkdirSync(real(path), { recursive }),
    rmdir: (path) => fs.rmSync(real(path), { recursive: true }),
    unlink: (path) => fs.unlinkSync(real(path)),
    rename: (from, to) => fs.renameSync(real(from), real(to)),
    copyFile: (from, to) => fs.copyFileSync(real(from), real(to)),
    listFile: (path) => fs.readdirSync(real(path)),
    truncate: (path, length = 0) => fs.truncateSync(real(path), length),
    fsync: (file) => fs.fsyncSync(fd(file)),
  };
}

export function coreFile(app) {
  const members = { OpenMode: FLAGS };
  for (const [name, action] of Object.entries(functionsOn(join(app.stores.folder, 'files')))) {
    members[`${name}Sync`] = (...args) => guarded(() => action(...args));
    members[name] = (...args) => {
      const callback = typeof args.at(-1) === 'function' ? args.pop() : undefined;
      try {
        return answer(
          guarded(() => action(...args)),
          callback,
        );
      } catch (error) {
        if (callback) return callback(error);
        return Promise.reject(error);
      }
    };
  }
  const fileIo = openObject('fileIo', members, app);
  return { fileIo };
}
