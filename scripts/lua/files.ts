import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { LuaFiles } from './expand.ts';

export const LUA_FOLDER = path.resolve('packages/delivery/src/mailbox/lua');
export const GENERATED_FILE = path.join(LUA_FOLDER, 'generated.ts');

export const readLuaFiles = (): LuaFiles =>
  new Map(
    readdirSync(LUA_FOLDER, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.lua'))
      .map((file) => [file.slice(0, -'.lua'.length), readFileSync(path.join(LUA_FOLDER, file), 'utf8')]),
  );
