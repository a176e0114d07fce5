'use strict';

/**
 * An ESLint rule: a promise that may reject is handled before anything else is awaited. If it rejects while a variable
 * holds it and another await goes on, or fails first, nobody handles the rejection
 * (docs/decisions/0086-a-rejection-ends-no-process.md).
 *
 * `const p = f(); await g(); await p` is held; `const p = f(); await Promise.all([g(), p])` is not. A parameter is held
 * from the start of its function. An array of promises is handled only as a whole, and an object never.
 */
const MESSAGES = {
  held: 'The promise "{{name}}" is held while something else is awaited, or left by a return: start it in the Promise.all that awaits it.',
  never:
    'The promise "{{name}}" is not handled in the function that starts it: await it there, or catch its rejection.',
  branch: 'The promise "{{name}}" is handled in one branch only: start it there.',
  each: 'The promises "{{name}}" are awaited one by one: await them with Promise.all.',
  sibling: 'This promise is started before the await beside it: put that await first, or both into one Promise.all.',
  object: 'An object holds this promise, and nobody handles its rejection: await it first.',
};

const FUNCTIONS = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'];
/** They call their argument before they return. */
const ITERATES = ['map', 'flatMap', 'forEach', 'filter', 'some', 'every', 'reduce', 'find'];

/** Values that are no promise, whatever their parts are. */
const NO_PROMISES = [
  ...['AwaitExpression', 'Literal', 'TemplateLiteral', 'BinaryExpression', 'UnaryExpression', 'ObjectExpression'],
  ...['ArrowFunctionExpression', 'FunctionExpression', 'UpdateExpression', 'ThisExpression'],
];
const MEMBERS = new Set([Promise.prototype, Array.prototype].flatMap((one) => Object.getOwnPropertyNames(one)));

/** Whether only another value than a promise, or an array of promises, is used like this. */
const isOtherUse = ({ parent, range }) =>
  (parent.type === 'CallExpression' && parent.callee.range[0] === range[0]) ||
  (parent.type === 'MemberExpression' &&
    parent.object.range[0] === range[0] &&
    !parent.computed &&
    !MEMBERS.has(parent.property.name)) ||
  (parent.type === 'BinaryExpression' && /^[-+*/%<>]/.test(parent.operator)) ||
  parent.type === 'TemplateLiteral';

/** TypeScript's flag of the type `undefined`. */
const UNDEFINED = 4;

module.exports = {
  meta: { type: 'problem', schema: [], messages: MESSAGES },
  create(context) {
    const { sourceCode } = context;
    const { program, getTypeAtLocation } = sourceCode.parserServices;
    const checker = program.getTypeChecker();
    const partsOf = (type) => (type.isUnion() ? type.types : [type]);
    // Other objects with a `then`, such as queries of mongoose, start when they are awaited.
    const isPromise = (type) => partsOf(type).some((part) => part.getSymbol()?.name === 'Promise');
    /** Whether the value was looked up, such as in a Map: who started the promise handles it. */
    const isLookup = (type, init) =>
      init !== null && init.type !== 'ChainExpression' && partsOf(type).some((part) => part.flags & UNDEFINED);
    const isSometimes = (type) => partsOf(type).some((part) => !(part.flags & UNDEFINED) && !isPromise(part));
    const isArray = (type) =>
      partsOf(type).some(
        (part) =>
          (checker.isArrayType(part) || checker.isTupleType(part)) && checker.getTypeArguments(part).some(isPromise),
      );
    /** What runs between the start of a promise and its handling: awaits and ways out of the function. */
    const pauses = [];
    const variables = [];

    const functionOf = (node) => {
      let at = node.parent;
      while (at.parent && !FUNCTIONS.includes(at.type)) at = at.parent;
      return at;
    };
    const isBetween = ({ owner, atPlace }, own, from, to) => owner === own && atPlace > from && atPlace <= to;

    /** Whether the variable is used in a branch that may not run after its declaration. */
    const isInBranch = (node, from) => {
      for (let at = node; at.parent && at.parent.range[0] > from; at = at.parent) {
        const { parent } = at;
        const isBranch =
          (['IfStatement', 'ConditionalExpression'].includes(parent.type) && at !== parent.test) ||
          (parent.type === 'LogicalExpression' && at === parent.right) ||
          parent.type === 'SwitchCase' ||
          parent.type === 'CatchClause' ||
          (/^(?:For|While|DoWhile)/.test(parent.type) && at === parent.body);
        if (isBranch) return true;
      }
      return false;
    };

    /** What the use of a variable is handed to, past the literals and conditions around it. */
    const outermost = (node) => {
      let at = node;
      const wraps = [
        'ArrayExpression',
        'SpreadElement',
        'ObjectExpression',
        'Property',
        'LogicalExpression',
        'ConditionalExpression',
        'TSAsExpression',
        'TSNonNullExpression',
      ];
      while (wraps.includes(at.parent.type) && at !== at.parent.test) at = at.parent;
      return at;
    };

    /** The place up to which a use holds the promise. Undefined if the use does not handle it. */
    const endOf = (node, isMany) => {
      const at = outermost(node);
      const { parent } = at;
      if (parent.type === 'AwaitExpression') return isMany ? undefined : parent.range[0];
      if (['CallExpression', 'NewExpression'].includes(parent.type) && at !== parent.callee) return parent.range[1] - 1;
      if (parent.type === 'MemberExpression' && parent.object === at) {
        const isHandled = isMany
          ? parent.parent.type === 'CallExpression'
          : /^(?:then|catch|finally)$/.test(parent.property.name);
        return isHandled && parent.property.name !== 'push' ? at.range[0] : undefined;
      }
      const isEscape =
        ['ReturnStatement', 'ArrowFunctionExpression', 'YieldExpression'].includes(parent.type) ||
        (parent.type === 'AssignmentExpression' && at === parent.right) ||
        (parent.type === 'VariableDeclarator' && at === parent.init);
      return isEscape ? at.range[0] : undefined;
    };

    const isRunAtOnce = ({ parent }) =>
      parent.type === 'CallExpression' &&
      parent.callee.type === 'MemberExpression' &&
      ITERATES.includes(parent.callee.property.name);

    /** What is wrong with the uses of a promise in `own`, where it exists from `from` on. */
    const faultOf = (uses, own, from, isMany) => {
      const places = uses.flatMap((node) => {
        let top = node;
        let holder = functionOf(node);
        while (holder !== own && holder.parent && functionOf(holder) !== own) holder = functionOf(holder);
        if (holder === own) {
          const end = endOf(node, isMany);
          return end === undefined ? [] : [{ node: top, end }];
        }
        if (!holder.parent || !isRunAtOnce(holder)) return [];
        const inside = uses.filter((one) => one.range[0] >= holder.range[0] && one.range[1] <= holder.range[1]);
        top = holder.parent;
        return faultOf(inside, holder, holder.range[0], isMany) === undefined ? [{ node: top, end: top.range[0] }] : [];
      });
      const [first] = places.sort((one, other) => one.end - other.end);
      if (first === undefined) return 'never';
      if (pauses.some((pause) => isBetween(pause, own, from, first.end))) return 'held';
      const covering = places.filter(({ node }) => !isInBranch(node, from));
      return covering.length === 0 ? 'branch' : undefined;
    };

    /** A call that never rejects, or whose rejection is handled. */
    const isSafe = (node) => {
      if (node?.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return false;
      const { object, property } = node.callee;
      if (object.name === 'Promise')
        return property.name === 'allSettled' || (property.name === 'resolve' && node.arguments.length === 0);
      return property.name === 'catch' || (property.name === 'then' && node.arguments.length === 2);
    };

    const isStarted = (node) =>
      node !== null &&
      ['CallExpression', 'NewExpression'].includes(node.type) &&
      !isSafe(node) &&
      isPromise(getTypeAtLocation(node));

    const note = (node, from) => {
      for (const variable of sourceCode.getDeclaredVariables(node)) {
        for (const name of variable.identifiers) variables.push({ variable, name, from, init: node.init ?? null });
      }
    };

    return {
      AwaitExpression(node) {
        pauses.push({ owner: functionOf(node), atPlace: node.range[1] });
        for (let at = node; !/Statement$|Function|Declaration$/.test(at.parent.type); at = at.parent) {
          const { parent } = at;
          const siblings = parent.elements ?? parent.arguments ?? parent.properties ?? [];
          const before = siblings.slice(0, Math.max(0, siblings.indexOf(at)));
          const started = before.find((one) => isStarted(one.type === 'Property' ? one.value : one));
          if (started) context.report({ node: started, messageId: 'sibling' });
        }
      },
      'ForOfStatement[await=true]'(node) {
        pauses.push({ owner: functionOf(node), atPlace: node.right.range[1] + 1 });
      },
      'ReturnStatement, ThrowStatement'(node) {
        pauses.push({ owner: functionOf(node), atPlace: node.range[1] });
      },
      VariableDeclarator(node) {
        if (node.init === null || isSafe(node.init)) return;
        if (node.init.type === 'ObjectExpression') {
          const held = node.init.properties.find(({ value }) => value && isStarted(value));
          if (held) context.report({ node: held, messageId: 'object' });
        }
        const isOther = node.id.type === 'Identifier' && NO_PROMISES.includes(node.init.type);
        if (!isOther) note(node, node.range[1]);
      },
      [FUNCTIONS.join(',')](node) {
        note(node, node.range[0]);
      },
      'Program:exit'() {
        for (const { variable, name, from, init } of variables) {
          const uses = variable.references.filter((one) => one.isRead()).map(({ identifier }) => identifier);
          const own = FUNCTIONS.includes(name.parent?.type) ? name.parent : functionOf(name);
          // The checker takes most of the time, so it judges only what looks wrong.
          const isSuspect = [false, true].some((isMany) => faultOf(uses, own, from, isMany) !== undefined);
          if (!isSuspect || uses.some(isOtherUse)) continue;
          const type = getTypeAtLocation(name);
          const isMany = isArray(type);
          if ((!isMany && !isPromise(type)) || isLookup(type, init)) continue;
          const fault = faultOf(uses, own, from, isMany);
          const isFine = fault === undefined || (fault === 'branch' && isSometimes(type));
          if (!isFine) context.report({ node: name, messageId: fault, data: { name: name.name } });
        }
      },
    };
  },
};
