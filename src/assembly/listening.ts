const ADDRESS_ERRORS = new Set(['EADDRINUSE', 'EADDRNOTAVAIL', 'EACCES', 'ENOTFOUND']);

/** Opens a door; one that cannot listen where it was told names the settings that say where. */
export async function listening<Door>(section: 'http' | 'sftp' | 'ops', opening: Promise<Door>): Promise<Door> {
	try {
		return await opening;
	} catch (error) {
		if (!(error instanceof Error) || !ADDRESS_ERRORS.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
		throw new Error(`${section}.host, ${section}.port: ${error.message}`, { cause: error });
	}
}
