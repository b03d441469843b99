import type { PicklePlace } from './legacy-error.ts';

/** A class of the list below; all that a pickle can do with one is to make an empty instance of it. */
export interface PickledClass {
	readonly kind: 'class';
	readonly name: 'SearchNode' | 'TreeSearchNode';
}
export interface PickledObject {
	readonly kind: 'object';
	readonly name: PickledClass['name'];
	/** The instance's attributes; null until they are set, which happens once. */
	state: ReadonlyMap<string, Pickled> | null;
}
export interface PickledTuple {
	readonly kind: 'tuple';
	readonly items: readonly Pickled[];
}
/** Dictionaries are maps, so that no key of the file can be a property of anything. Values may contain themselves. */
export type Pickled =
	| null
	| boolean
	| number
	| string
	| Pickled[]
	| Map<string, Pickled>
	| PickledTuple
	| PickledClass
	| PickledObject;

/** Everything that may be named, as the releases up to 0.1.5 and their predecessors in `src` named it. */
const classes: ReadonlyMap<string, PickledClass> = new Map<string, PickledClass>(
	['kapso', 'src'].flatMap((root): [string, PickledClass][] => [
		[`${root}.execution.search_strategies.base.SearchNode`, { kind: 'class', name: 'SearchNode' }],
		[
			`${root}.execution.search_strategies.benchmark_tree_search.TreeSearchNode`,
			{ kind: 'class', name: 'TreeSearchNode' },
		],
	]),
);

/** More than any real checkpoint has, and few enough that a hostile one is refused in a second. */
const maxOperations = 10_000_000;
const maxValues = 2_000_000;

/** Thrown inside the reader and caught by whoever knows the file's path. */
export class PickleProblem extends Error {
	readonly place: PicklePlace;

	constructor(place: PicklePlace) {
		super(place.reason);
		this.place = place;
	}
}

/**
 * The value in a pickle of protocol 4 or 5, from thirty opcodes and four class names. There is no opcode here that
 * calls, imports or looks anything up, and whatever is not in the table is refused with its place. Throws
 * `PickleProblem` and nothing else.
 */
export function unpickle(bytes: Buffer): Pickled {
	const reader = createMachine(bytes);
	for (;;) {
		const value = reader.step();
		if (value !== undefined) return value;
	}
}

type Operation = (machine: Machine) => void;

interface Machine {
	/** Runs one opcode; the pickle's value after the last. */
	step(): Pickled | undefined;
	readonly stack: Pickled[];
	readonly memo: Pickled[];
	/** Heights of the stack at the marks that are open. */
	readonly marks: number[];
	take(count: number): Buffer;
	text(length: number): string;
	pop(): Pickled;
	popToMark(): Pickled[];
	refuse(reason: string): never;
}

function createMachine(bytes: Buffer): Machine {
	const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
	let position = 0;
	let operations = 0;
	let offset = 0;
	let opcode: string | null = null;
	const machine: Machine = {
		stack: [],
		memo: [],
		marks: [],
		refuse(reason) {
			throw new PickleProblem({ offset, opcode, reason });
		},
		take(count) {
			if (count > bytes.length - position)
				machine.refuse(`it ends ${count - (bytes.length - position)} bytes too early`);
			position += count;
			return bytes.subarray(position - count, position);
		},
		text(length) {
			const taken = machine.take(length);
			try {
				return utf8.decode(taken);
			} catch {
				return machine.refuse('its text is not UTF-8');
			}
		},
		pop() {
			const floor = machine.marks.at(-1) ?? 0;
			if (machine.stack.length <= floor) machine.refuse('it takes a value that is not there');
			return machine.stack.pop()!;
		},
		popToMark() {
			const height = machine.marks.pop() ?? machine.refuse('it takes a mark that is not there');
			return machine.stack.splice(height);
		},
		step() {
			offset = position;
			opcode = null;
			const code = machine.take(1)[0]!;
			opcode = `0x${code.toString(16).padStart(2, '0')}`;
			if (++operations > maxOperations) machine.refuse(`it has more than ${maxOperations} operations`);
			if ((offset === 0) !== (code === protocolCode)) machine.refuse('a protocol must stand first, and once');
			if (code === stopCode) return finish();
			const [name, operation] =
				table.get(code) ?? machine.refuse('this opcode is not in the list of those that are read');
			opcode = `${opcode} ${name}`;
			operation(machine);
			if (machine.stack.length + machine.memo.length > maxValues)
				machine.refuse(`it holds more than ${maxValues} values`);
			return undefined;
		},
	};
	function finish(): Pickled {
		opcode = `${opcode} STOP`;
		const value = machine.pop();
		if (machine.stack.length > 0 || machine.marks.length > 0) machine.refuse('values are left over');
		if (position < bytes.length) machine.refuse(`${bytes.length - position} bytes follow its end`);
		return value;
	}
	return machine;
}

const protocolCode = 0x80;
const stopCode = 0x2e;

const push = (value: Pickled): Operation => {
	return ({ stack }) => stack.push(value);
};

const table: ReadonlyMap<number, readonly [name: string, operation: Operation]> = new Map([
	[protocolCode, ['PROTO', readProtocol]],
	[0x95, ['FRAME', skipFrame]],
	[0x28, ['MARK', ({ stack, marks }) => marks.push(stack.length)]],
	[0x4e, ['NONE', push(null)]],
	[0x88, ['NEWTRUE', push(true)]],
	[0x89, ['NEWFALSE', push(false)]],
	[0x4b, ['BININT1', ({ stack, take }) => stack.push(take(1).readUInt8())]],
	[0x4d, ['BININT2', ({ stack, take }) => stack.push(take(2).readUInt16LE())]],
	[0x4a, ['BININT', ({ stack, take }) => stack.push(take(4).readInt32LE())]],
	[0x8a, ['LONG1', readLong]],
	[0x47, ['BINFLOAT', ({ stack, take }) => stack.push(take(8).readDoubleBE())]],
	[0x8c, ['SHORT_BINUNICODE', ({ stack, take, text }) => stack.push(text(take(1).readUInt8()))]],
	[0x58, ['BINUNICODE', ({ stack, take, text }) => stack.push(text(take(4).readUInt32LE()))]],
	[0x5d, ['EMPTY_LIST', ({ stack }) => stack.push([])]],
	[0x61, ['APPEND', (machine) => append(machine, [machine.pop()])]],
	[0x65, ['APPENDS', (machine) => append(machine, machine.popToMark())]],
	[0x29, ['EMPTY_TUPLE', (machine) => pushTuple(machine, 0)]],
	[0x85, ['TUPLE1', (machine) => pushTuple(machine, 1)]],
	[0x86, ['TUPLE2', (machine) => pushTuple(machine, 2)]],
	[0x87, ['TUPLE3', (machine) => pushTuple(machine, 3)]],
	[0x7d, ['EMPTY_DICT', ({ stack }) => stack.push(new Map())]],
	[0x73, ['SETITEM', (machine) => setItems(machine, popMany(machine, 2))]],
	[0x75, ['SETITEMS', (machine) => setItems(machine, machine.popToMark())]],
	[0x94, ['MEMOIZE', memoize]],
	[0x68, ['BINGET', (machine) => recall(machine, machine.take(1).readUInt8())]],
	[0x6a, ['LONG_BINGET', (machine) => recall(machine, machine.take(4).readUInt32LE())]],
	[0x93, ['STACK_GLOBAL', nameClass]],
	[0x81, ['NEWOBJ', newObject]],
	[0x62, ['BUILD', build]],
]);

function readProtocol({ take, refuse }: Machine): void {
	const version = take(1)[0]!;
	if (version !== 4 && version !== 5) refuse(`its protocol is ${version}; the releases wrote 4 or 5`);
}

/** Frames are hints for reading from a stream; here the bytes are all there. */
function skipFrame({ take, refuse }: Machine): void {
	const length = take(8).readBigUInt64LE();
	if (length > 2n ** 31n) refuse('a frame is longer than any file that is read');
}

function readLong({ stack, take, refuse }: Machine): void {
	const length = take(1)[0]!;
	if (length > 8) refuse(`a whole number of ${length} bytes is out of range`);
	let value = 0n;
	for (const [index, byte] of take(length).entries()) value |= BigInt(byte) << BigInt(8 * index);
	value = BigInt.asIntN(8 * length, value);
	if (!Number.isSafeInteger(Number(value))) refuse(`the whole number ${value} is out of range`);
	stack.push(Number(value));
}

function append(machine: Machine, items: readonly Pickled[]): void {
	const list = topOf(machine);
	if (!Array.isArray(list)) machine.refuse('it appends to something that is no list');
	for (const item of items) list.push(item);
}

function pushTuple(machine: Machine, length: number): void {
	machine.stack.push({ kind: 'tuple', items: popMany(machine, length) });
}

function popMany(machine: Machine, count: number): Pickled[] {
	return Array.from({ length: count }, () => machine.pop()).reverse();
}

function setItems(machine: Machine, items: readonly Pickled[]): void {
	const map = topOf(machine);
	if (!(map instanceof Map)) machine.refuse('it sets an item of something that is no dictionary');
	if (items.length % 2 !== 0) machine.refuse('a key has no value');
	for (let index = 0; index < items.length; index += 2) {
		const key = items[index];
		if (typeof key !== 'string') machine.refuse('a key is no text');
		map.set(key, items[index + 1]!);
	}
}

function memoize(machine: Machine): void {
	machine.memo.push(topOf(machine));
}

function recall({ memo, stack, refuse }: Machine, index: number): void {
	const value = memo[index];
	if (value === undefined) refuse(`it recalls value ${index}, and ${memo.length} are kept`);
	else stack.push(value);
}

function nameClass(machine: Machine): void {
	const [module, name] = popMany(machine, 2);
	if (typeof module !== 'string' || typeof name !== 'string') machine.refuse('a class is not named by two texts');
	const known = classes.get(`${module}.${name}`);
	if (known === undefined)
		machine.refuse(`it names ${JSON.stringify(`${module}.${name}`.slice(0, 120))}, which no checkpoint needs`);
	machine.stack.push(known);
}

function newObject(machine: Machine): void {
	const [named, given] = popMany(machine, 2);
	if (!isKind(named, 'class')) machine.refuse('it makes an instance of something that is no class');
	if (!isKind(given, 'tuple') || given.items.length > 0) machine.refuse('it passes arguments to a class');
	machine.stack.push({ kind: 'object', name: named.name, state: null });
}

function build(machine: Machine): void {
	const state = machine.pop();
	const object = topOf(machine);
	if (!isKind(object, 'object') || object.state !== null)
		machine.refuse('it sets attributes of something that is no new instance');
	if (!(state instanceof Map)) machine.refuse('the attributes are no dictionary');
	object.state = state;
}

/** The value that stays where it is. */
function topOf(machine: Machine): Pickled {
	const value = machine.pop();
	machine.stack.push(value);
	return value;
}

type Kinds = { class: PickledClass; object: PickledObject; tuple: PickledTuple };

export function isKind<K extends keyof Kinds>(value: Pickled | undefined, kind: K): value is Kinds[K] {
	return typeof value === 'object' && value !== null && 'kind' in value && value.kind === kind;
}
