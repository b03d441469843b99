export { giProgram } from './program.ts';
