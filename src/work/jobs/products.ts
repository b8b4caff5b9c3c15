// Describes the files that an attempt at a job writes: the output and the reports.

/** Describes a complete sealed file by the id of its blob and its size. */
export interface Product {
	readonly blobId: string;
	readonly size: number;
	/** The name of an output that is decrypted or encrypted, if it differs from that of the job. */
	readonly name?: string;
	/**
	 * Present only if CVVs were put into the output: the earliest time after which one of them may no longer be kept.
	 */
	readonly expiresAt?: number;
}

export interface Products {
	readonly output?: Product;
	readonly jsonReport: Product;
	readonly csvReport?: Product;
}
