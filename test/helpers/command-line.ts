// Runs the command line within the process of a test.

/**
 * Runs a command line as `src/main.ts` does. That module is loaded only now, because it has an `await` at its top, and
 * files of tests that import such a module cannot be loaded together (test/suite/load.ts).
 */
export async function runCommandLine(
	given: Parameters<typeof import('../../src/main.ts').runCommandLine>[0],
): Promise<number> {
	const main = await import('../../src/main.ts');
	return main.runCommandLine(given);
}
