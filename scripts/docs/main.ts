import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Command } from '@commander-js/extra-typings';
import { generatedDocuments } from './generate.ts';

export const command = new Command()
  .description(
    'Writes the generated parts of the documentation: tables, OpenAPI documents, JSON Schemas, and code in guides.',
  )
  .action(async () => {
    for (const [file, { is, shouldBe }] of await generatedDocuments()) {
      if (is !== shouldBe) {
        mkdirSync(path.dirname(file), { recursive: true });
        writeFileSync(file, shouldBe);
      }
      console.log(`${file} ${is === shouldBe ? 'is up to date' : 'was updated'}`);
    }
  });
