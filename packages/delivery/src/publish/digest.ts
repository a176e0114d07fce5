import { hash } from 'node:crypto';
import type { Digest } from '@mailhook/core';

/** What derived hashes and ids of events are made with. */
export const sha256: Digest = (text) => hash('sha256', text, 'base64url');
