// What an attempt at a job makes.

/** Describes a finished sealed file and its name. */
export interface Product {
	readonly blobId: string;
	readonly size: number;
	/** For an output with CVVs, the time when the first of their policies ends. */
	readonly expiresAt?: number;
}

export interface Products {
	readonly output?: Product;
	readonly jsonReport: Product;
	readonly csvReport?: Product;
}
