export * from './error-handler.ts';
export * from './json-body.ts';
export * from './listen.ts';
export * from './operations-server.ts';
export * from './problem.ts';
export * from './request-id.ts';
export * from './routes.ts';
export * from './validate.ts';
