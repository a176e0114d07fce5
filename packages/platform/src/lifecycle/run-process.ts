import { ConfigError, readProcessEnvironment } from '../config/index.ts';
import type { Logger } from '../logger/index.ts';
import { createLogger } from '../logger/index.ts';
import { UnusableRedisError } from '../redis/index.ts';
import type { Closeable } from './close-in-order.ts';

/** Exit codes. 78 is `EX_CONFIG`: the configuration is unusable, so a restart does not help. */
const EXIT = { stopped: 0, failed: 1, config: 78 } as const;

export interface ProcessOptions<Config> {
  /** The service's name in every log line. */
  readonly name: string;
  /** Reads the configuration. Throws `ConfigError` if it is unusable. */
  readonly loadConfig: () => Config;
  /** Starts everything. The result is closed when the process stops. */
  readonly start: (config: Config, logger: Logger) => Promise<Closeable>;
  /** If `close` takes longer, the process exits with 1. */
  readonly closeTimeoutMs: (config: Config) => number;
  /** Whether the process goes on after a rejection that nobody handled (docs/decisions/0086). Default: false. */
  readonly survivesRejections?: boolean;
}

/**
 * Runs a service as this process. Stops it gracefully at SIGTERM, at SIGINT, after an uncaught error, or when the
 * supervisor that started it (`MAILHOOK_SUPERVISED`) is gone. A second signal ends the process at once.
 */
export function runProcess<Config>(options: ProcessOptions<Config>): void {
  const environment = readProcessEnvironment();
  const logger = createLogger({ level: environment.logLevel, service: options.name });
  // Without a configuration nothing was started, so there is nothing to wait for.
  let closeTimeoutMs = 0;
  // A `start` that throws before its first await must be reported like one that rejects.
  const starting = Promise.resolve().then(() => {
    const config = options.loadConfig();
    closeTimeoutMs = options.closeTimeoutMs(config);
    return options.start(config, logger);
  });
  let isStopping = false;

  const stop = (reason: string, code: number): void => {
    if (isStopping) {
      if (code === EXIT.stopped) exit(logger, EXIT.failed);
      return;
    }
    isStopping = true;
    logger.info('stopping', { reason });
    setTimeout(() => {
      logger.error('did not stop in time', { timeoutMs: closeTimeoutMs });
      exit(logger, EXIT.failed);
    }, closeTimeoutMs).unref();
    void closeStarted(starting, logger).then((isClean) => exit(logger, isClean ? code : EXIT.failed));
  };

  starting.then(
    () => {
      logger.info('started');
      // Its supervisor would take the reply of another program on the port for this one's.
      process.send?.('started', undefined, undefined, () => undefined);
    },
    (error: unknown) => {
      reportStartFailure(logger, error);
      exit(logger, isUnusable(error) ? EXIT.config : EXIT.failed);
    },
  );
  stopWhenAsked(stop, environment.isSupervised);
  stopWhenBroken(stop, logger, options.survivesRejections === true);
}

type Stop = (reason: string, code: number) => void;

function stopWhenAsked(stop: Stop, isSupervised: boolean): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => stop(signal, EXIT.stopped));
  }
  if (!isSupervised) return;
  const onSupervisorGone = (): void => stop('the supervisor is gone', EXIT.stopped);
  if (process.send !== undefined) {
    process.once('disconnect', onSupervisorGone);
    return;
  }
  // The supervisor's end of the pipe closes even if the supervisor is killed.
  process.stdin.once('end', onSupervisorGone).once('error', onSupervisorGone).resume();
}

function stopWhenBroken(stop: Stop, logger: Logger, survivesRejections: boolean): void {
  const onUncaught = (error: unknown): void => {
    logger.error('uncaught error', { error });
    stop('uncaught error', EXIT.failed);
  };
  process.on('uncaughtException', onUncaught);
  process.on('unhandledRejection', (error) => {
    if (survivesRejections) logger.error('nobody handled a rejection', { error });
    else onUncaught(error);
  });
  // The reader of standard output may be gone, which must not end the process.
  process.stdout.on('error', () => undefined);
}

/** Waits for a start in progress, because only `start` itself can close what it has started so far. */
async function closeStarted(starting: Promise<Closeable>, logger: Logger): Promise<boolean> {
  try {
    const started = await starting;
    await started.close();
    logger.info('stopped');
    return true;
  } catch (error) {
    logger.error('did not stop cleanly', { error });
    return false;
  }
}

const isUnusable = (error: unknown): error is ConfigError | UnusableRedisError =>
  error instanceof ConfigError || error instanceof UnusableRedisError;

function reportStartFailure(logger: Logger, error: unknown): void {
  if (isUnusable(error)) {
    // The list must be readable at a terminal too, not only as an escaped string in a log line.
    process.stderr.write(`${error.message}\n`);
    logger.error('the configuration cannot be used', { reason: error.message });
  } else {
    logger.error('could not start', { error });
  }
}

/** Exits after the last log lines are written. */
function exit(logger: Logger, code: number): void {
  const end = (): never => process.exit(code);
  logger.once('finish', () => setImmediate(end));
  logger.end();
  // A connection that is still open may report an error, which must not change the exit code.
  logger.write = () => true;
  setTimeout(end, 500);
}
