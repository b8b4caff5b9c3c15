/** These system calls fail because of the address; other calls of a listener may fail because of a file. */
const CALLS = new Set(['listen', 'bind', 'getaddrinfo']);

/** Opens a listener. If it cannot use its address, the error names the settings for it. */
export async function listening<Door>(section: 'http' | 'sftp' | 'ops', opening: Promise<Door>): Promise<Door> {
	try {
		return await opening;
	} catch (error) {
		if (!(error instanceof Error) || !CALLS.has((error as NodeJS.ErrnoException).syscall ?? '')) throw error;
		throw new Error(`${section}.host, ${section}.port: ${error.message}`, { cause: error });
	}
}
