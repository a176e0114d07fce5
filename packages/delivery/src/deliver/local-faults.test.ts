import type { LocalFault } from '@mailhook/core';
import { createLogger } from '@mailhook/platform/logger';
import { createMetrics } from '@mailhook/platform/metrics';
import { createLocalFaults } from './local-faults.ts';

const fault: LocalFault = { type: 'local-fault', cause: 'ports', detail: 'EADDRNOTAVAIL: no port' };

describe('createLocalFaults', () => {
  let nowMs = 0;
  const create = () => {
    nowMs = 1_000_000;
    const metrics = createMetrics();
    const logger = createLogger({ level: 'error', service: 'test' });
    return { metrics, faults: createLocalFaults({ kind: 'campaign', metrics, logger, runtime: { now: () => nowMs } }) };
  };

  test('counts local faults by cause, starting at zero', async () => {
    const { metrics, faults } = create();
    faults.met(fault);
    faults.met(fault);
    const text = await metrics.registry.metrics();
    expect(text).toContain('mailhook_local_faults_total{kind="campaign",cause="ports"} 2');
    expect(text).toContain('mailhook_local_faults_total{kind="campaign",cause="resolver"} 0');
  });

  test('is not ready after 10 s of nothing but local faults', () => {
    const { faults } = create();
    expect(faults.readiness()).toEqual([]);
    for (let second = 0; second < 10; second += 1) {
      faults.met(fault);
      expect(faults.readiness()).toEqual([]);
      nowMs += 1000;
    }
    expect(faults.readiness()).toEqual(['the campaign worker cannot send any request: EADDRNOTAVAIL: no port']);
    faults.attempted();
    expect(faults.readiness()).toEqual([]);
  });

  test('stays ready when the secrets of a destination cannot be read, and counts it', async () => {
    const { metrics, faults } = create();
    for (let second = 0; second < 12; second += 1) {
      faults.met({ type: 'local-fault', cause: 'secrets-key', detail: 'a stored secret is damaged' });
      nowMs += 1000;
    }
    expect(faults.readiness()).toEqual([]);
    expect(await metrics.registry.metrics()).toContain('{kind="campaign",cause="secrets-key"} 12');
  });

  test('restarts the 10 s after an attempt', () => {
    const { faults } = create();
    faults.met(fault);
    nowMs += 9000;
    faults.attempted();
    faults.met(fault);
    nowMs += 9000;
    faults.met(fault);
    expect(faults.readiness()).toEqual([]);
  });

  test('is ready again when nothing is sent anymore', () => {
    const { faults } = create();
    faults.met(fault);
    nowMs += 10_000;
    faults.met(fault);
    expect(faults.readiness()).toHaveLength(1);
    nowMs += 15_001;
    expect(faults.readiness()).toEqual([]);
    faults.met(fault);
    expect(faults.readiness()).toEqual([]);
  });
});
