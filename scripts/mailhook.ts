#!/usr/bin/env -S node --conditions=@mailhook/source --import tsx
import { COMMANDS } from './commands.ts';
import { runMailhook } from './command-line.ts';
import { runCommand } from './user-error.ts';

void runCommand(() => runMailhook(COMMANDS));
