import { connect } from 'node:net';
import { once } from 'node:events';
import { startMongod } from './mongod.ts';
import { unlessMissing } from './tools.ts';

unlessMissing(test, 'mongod')(
  'a private mongod starts, listens, restarts, and is gone after `stop`',
  async () => {
    const mongod = await startMongod();
    const port = Number(new URL(mongod.url).port);
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.destroy();
    const { pid } = mongod;
    await mongod.restart();
    expect(mongod.pid).not.toBe(pid);
    await mongod.stop();
    expect(() => process.kill(mongod.pid, 0)).toThrow('ESRCH');
    await expect(once(connect(port, '127.0.0.1'), 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  },
  120_000,
);
