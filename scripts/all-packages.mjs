import { existsSync } from 'node:fs';

// The first import of every command that needs the packages of development, because a missing one would only show as a
// stack trace.
if (!existsSync('node_modules/jest')) {
  const name = process.env['npm_lifecycle_event'] ?? 'this command';
  console.error(
    `\`npm run ${name}\` needs all packages, also those of development: run \`npm ci\` without --omit=dev.`,
  );
  process.exit(1);
}
