import type { OpenMode } from '../../../work/folders/tree.ts';

/** Describes one request of a client, whose form was already checked. `id` is repeated in the reply. */
export type Request =
	| { readonly kind: 'open'; readonly id: number; readonly path: string; readonly mode: OpenMode }
	| { readonly kind: 'close'; readonly id: number; readonly handle: number }
	| {
			readonly kind: 'read';
			readonly id: number;
			readonly handle: number;
			readonly offset: number;
			readonly length: number;
	  }
	| {
			readonly kind: 'write';
			readonly id: number;
			readonly handle: number;
			readonly offset: number;
			readonly bytes: Buffer;
	  }
	| { readonly kind: 'attributes'; readonly id: number; readonly path: string }
	| { readonly kind: 'handle-attributes'; readonly id: number; readonly handle: number }
	// Of the attributes that a client sets only the size in bytes counts; it is null if the client sets no size.
	| { readonly kind: 'set-attributes'; readonly id: number; readonly path: string; readonly size: number | null }
	| {
			readonly kind: 'set-handle-attributes';
			readonly id: number;
			readonly handle: number;
			readonly size: number | null;
	  }
	| { readonly kind: 'open-directory'; readonly id: number; readonly path: string }
	| { readonly kind: 'read-directory'; readonly id: number; readonly handle: number }
	| { readonly kind: 'remove'; readonly id: number; readonly path: string }
	| { readonly kind: 'make-directory'; readonly id: number; readonly path: string }
	| { readonly kind: 'remove-directory'; readonly id: number; readonly path: string }
	| { readonly kind: 'real-path'; readonly id: number; readonly path: string }
	| {
			readonly kind: 'rename';
			readonly id: number;
			readonly from: string;
			readonly to: string;
			readonly overwrite: boolean;
	  }
	| { readonly kind: 'sync'; readonly id: number; readonly handle: number }
	| { readonly kind: 'space'; readonly id: number }
	| { readonly kind: 'limits'; readonly id: number }
	| { readonly kind: 'unsupported'; readonly id: number };
