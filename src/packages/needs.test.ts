import { describe, expect, it } from 'vitest'
import { loadYaml, readManifest } from '../formats/index.ts'
import type { Manifest } from '../model/index.ts'
import { dependencyOrder, unmetNeeds } from './needs.ts'
import { unmetAmong } from './unmet.ts'

const readYaml = await loadYaml()

function manifestOf(name: string, version: string, ...needs: string[]): Manifest {
  const text = `name: ${name}\nversion: ${version}\ndescription: d\nentrypoint: bin/x\ndependencies: ${JSON.stringify(needs)}\n`
  const { manifest, problems } = readManifest(text, 'tool.yaml', readYaml)
  if (manifest === undefined) throw new Error(problems.map(({ message }) => message).join('\n'))
  return manifest
}

const pick = (manifest: Manifest, isFree = true) => ({ manifest, isFree })
const names = (packages: readonly { manifest: Manifest }[]) => packages.map(({ manifest }) => manifest.name)

describe('unmetNeeds', () => {
  const a = pick(manifestOf('a', '1.0.0', 'tool:b<2.0.0'))
  const c = pick(manifestOf('c', '1.0.0', 'tool:b>=1.0.0', 'jq'))
  const nothing = () => false

  it('Q94: gathers what everyone needs of the same package', () => {
    const unmet = unmetNeeds([a, c], nothing)
    expect([...unmet.keys()]).toEqual(['b'])
    expect(unmet.get('b')?.map(({ by, requirement }) => [by.name, requirement.written])).toEqual([
      ['a', 'tool:b<2.0.0'],
      ['c', 'tool:b>=1.0.0'],
    ])
  })

  it('Q94: one version must fit all of them', () => {
    expect(unmetNeeds([a, c, pick(manifestOf('b', '1.5.0'))], nothing).size).toBe(0)
    expect(unmetNeeds([a, c, pick(manifestOf('b', '2.0.0'))], nothing).get('b')).toHaveLength(2)
  })

  it('Q94: what is installed will do, unless a version is about to be chosen freely', () => {
    expect(unmetNeeds([a], () => true).size).toBe(0)
    expect(unmetNeeds([a, pick(manifestOf('b', '2.0.0'), false)], () => true).size).toBe(0)
    expect(unmetNeeds([a, pick(manifestOf('b', '2.0.0'))], () => true).size).toBe(1)
  })
})

describe('dependencyOrder', () => {
  it('Q94: what is needed comes first, whatever was named first', () => {
    const x = pick(manifestOf('x', '1.0.0'))
    const y = pick(manifestOf('y', '1.0.0', 'tool:x', 'tool:z'))
    const z = pick(manifestOf('z', '1.0.0', 'tool:x'))
    expect(names(dependencyOrder([y, x, z]))).toEqual(['x', 'z', 'y'])
    expect(names(dependencyOrder([x, z, y]))).toEqual(['x', 'z', 'y'])
  })

  it.each([
    [[['x', 'x']], /x → x/],
    [
      [
        ['x', 'y'],
        ['y', 'x'],
      ],
      /x → y → x/,
    ],
    [
      [
        ['w', 'x'],
        ['x', 'y'],
        ['y', 'x'],
      ],
      /: x → y → x/,
    ],
  ])('Q94: finds the circle in %j', (pairs, message) => {
    const packages = pairs.map(([name = '', need = '']) => pick(manifestOf(name, '1.0.0', `tool:${need}`)))
    expect(() => dependencyOrder(packages)).toThrow(message)
  })
})

describe('unmetAmong', () => {
  it('names who misses what', () => {
    const top = manifestOf('top', '1.0.0', 'tool:base>=2.0.0')
    expect(unmetAmong([top, manifestOf('base', '2.1.0')])).toEqual([])
    expect(unmetAmong([top, manifestOf('base', '1.0.0')])).toMatchObject([
      { by: { name: 'top' }, requirement: { name: 'base' } },
    ])
  })
})
