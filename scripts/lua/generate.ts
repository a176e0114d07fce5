import { writeFileSync } from 'node:fs';
import path from 'node:path';
import * as constants from '../../packages/delivery/src/mailbox/constants.ts';
import { createTerminal } from '../terminal.ts';
import { generatedFile } from './expand.ts';
import { GENERATED_FILE, readLuaFiles } from './files.ts';

/** `npm run lua`: writes the TypeScript file with the Lua commands. */
const files = readLuaFiles();
writeFileSync(GENERATED_FILE, generatedFile(files, constants));
createTerminal().line(`${path.relative('.', GENERATED_FILE)}: ${files.size} files`);
