import type { OpenMode } from '../../../work/folders/tree.ts';

interface OnPath<Kind> {
	readonly kind: Kind;
	readonly id: number;
	readonly path: string;
}

interface OnHandle<Kind> {
	readonly kind: Kind;
	readonly id: number;
	readonly handle: number;
}

/** Of the attributes that a client sets only the size in bytes counts; it is null if the client sets no size. */
interface Size {
	readonly size: number | null;
}

/** Describes one request of a client, whose form was already checked. `id` is repeated in the reply. */
export type Request =
	| (OnPath<'open'> & { readonly mode: OpenMode })
	| OnHandle<'close'>
	| (OnHandle<'read'> & { readonly offset: number; readonly length: number })
	| (OnHandle<'write'> & { readonly offset: number; readonly bytes: Buffer })
	| OnPath<'attributes'>
	| OnHandle<'handle-attributes'>
	| (OnPath<'set-attributes'> & Size)
	| (OnHandle<'set-handle-attributes'> & Size)
	| OnPath<'open-directory'>
	| OnHandle<'read-directory'>
	| OnPath<'remove'>
	| OnPath<'make-directory'>
	| OnPath<'remove-directory'>
	| OnPath<'real-path'>
	| {
			readonly kind: 'rename';
			readonly id: number;
			readonly from: string;
			readonly to: string;
			readonly overwrite: boolean;
	  }
	| OnHandle<'sync'>
	| { readonly kind: 'space' | 'limits' | 'unsupported'; readonly id: number };
