import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { generatedDocuments } from './generate.ts';
import { runCommand } from '../user-error.ts';

/** Writes the generated parts of the documentation (`npm run docs:env`). */
async function generate(): Promise<void> {
  for (const [file, { is, shouldBe }] of await generatedDocuments()) {
    if (is !== shouldBe) {
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, shouldBe);
    }
    console.log(`${file} ${is === shouldBe ? 'is up to date' : 'was updated'}`);
  }
}

void runCommand(generate);
