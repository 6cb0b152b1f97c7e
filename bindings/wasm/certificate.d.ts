export * from './dist/certificate/certificate.js';
export { default, init } from './init.js';
