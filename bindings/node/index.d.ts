export * from './dist/classes/index.js';
