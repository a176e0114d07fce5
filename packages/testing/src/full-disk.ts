import { execFileSync } from 'node:child_process';

/**
 * From now on each write of this process to a file fails, as on a full disk. A limit on file size needs no privileges, unlike a small disk, which must be
 * mounted. The process must ignore SIGXFSZ, as those of `startChild` do.
 */
export const fillDisk = (pid: number): void => limitFileSize(pid, '0');

/** The process can write again. */
export const freeDisk = (pid: number): void => limitFileSize(pid, 'unlimited');

/** The colon sets the soft limit only: a user may raise it again. */
function limitFileSize(pid: number, bytes: string): void {
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`]);
}
