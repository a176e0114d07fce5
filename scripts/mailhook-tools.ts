import { runMailhook } from './command-line.ts';
import { TOOLS } from './tools.ts';
import { runCommand } from './user-error.ts';

// The program of the image `tools`.
void runCommand(() => runMailhook(TOOLS));
