export { addressVerdict } from './address-verdict.ts';
export { literalAddressFault } from './literal-address.ts';
export { NoTunnelError } from './proxy-tunnels.ts';
export { openFilesMax } from './open-files.ts';
export * from './policy.ts';
export { createVettedConnector } from './vetted-connector.ts';
export type { VettedConnector } from './vetted-connector.ts';
