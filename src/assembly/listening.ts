/** What fails for the address; opening a door may fail for a file as well. */
const CALLS = new Set(['listen', 'bind', 'getaddrinfo']);

/** Opens a door; one that cannot listen where it was told names the settings that say where. */
export async function listening<Door>(section: 'http' | 'sftp' | 'ops', opening: Promise<Door>): Promise<Door> {
	try {
		return await opening;
	} catch (error) {
		if (!(error instanceof Error) || !CALLS.has((error as NodeJS.ErrnoException).syscall ?? '')) throw error;
		throw new Error(`${section}.host, ${section}.port: ${error.message}`, { cause: error });
	}
}
