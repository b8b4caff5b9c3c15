import { fileURLToPath } from 'node:url';

export default {
	files: ['test/**/*.test.ts'],
	extensions: ['ts'],
	timeout: '120s',
	workerThreads: false,
	environmentVariables: {
		// Every file is a process of its own, and most load the whole house: what one has compiled the next takes over. Only
		// tests do so; a daemon runs no code from a folder that others might write to.
		NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url)),
	},
};
