import { execFileSync } from 'node:child_process';

/**
 * Makes every later file write of the process fail, like on a full disk. A limit on file size needs no privileges,
 * unlike mounting a small disk. The process must ignore SIGXFSZ, like the processes that `startChild` starts.
 */
export const fillDisk = (pid: number): void => limitFileSize(pid, '0');

/** Lets the process write again. */
export const freeDisk = (pid: number): void => limitFileSize(pid, 'unlimited');

/** The colon sets only the soft limit, which a user may raise again. */
function limitFileSize(pid: number, bytes: string): void {
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`]);
}
