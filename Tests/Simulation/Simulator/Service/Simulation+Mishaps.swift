import CivilTime
import Configuration
import Foundations
import Operations
import Sandbox

/// What goes wrong, and what operators do.
extension Simulation {
  func begin(_ mishap: Schedule.Mishap) {
    note("mishap \(mishap.kind)")
    let now = time.truth
    switch mishap.kind {
    case .failure(let place, let manner, let seconds):
      network.fail(
        SimulatedNetwork.Failure(
          place: place, manner: manner, from: now, to: now.adding(seconds: seconds)))
    case .spoilt(let spoiling, let seconds):
      if spoiling == .lying { lies.append(now...now.adding(seconds: seconds)) }
      network.api.inject(spoiling.plan(seed: world.options.seed &+ UInt64(mishap.at)))
      plan(now.adding(seconds: seconds)) { [network] in network.api.inject(FaultPlan()) }
    case .clockStep(let step, let seconds):
      if time.stepSeconds != 0 { return }
      time.step(bySeconds: step)
      doubtful.append(now.adding(seconds: -7_200)...now.adding(seconds: seconds + 7_200))
      if (1...300).contains(step) {
        fast.append((now...now.adding(seconds: seconds + step), step))
      }
      plan(now.adding(seconds: seconds)) { [time] in
        if time.stepSeconds == step { time.step(bySeconds: -step) }
      }
    case .suspend(let seconds):
      blind.append(now...now.adding(seconds: seconds))
      time.suspend(forSeconds: seconds)
    case .kill(let calls):
      disk.set(.kill, afterCalls: calls)
    case .losePower(let calls): disk.set(.losePower, afterCalls: calls)
    case .crashLoop(let calls, let times):
      disk.set(.losePower, afterCalls: calls)
      killsAtStart = times
    case .restart(let seconds):
      service?.tell { $0.stop() }
      restartAt = now.adding(seconds: seconds)
    case .fullDisk(let seconds):
      losses.append(now...now.adding(seconds: seconds))
      disk.setFull(true)
      plan(now.adding(seconds: seconds)) { [disk] in disk.setFull(false) }
    case .failingSyncs(let seconds):
      losses.append(now...now.adding(seconds: seconds))
      disk.setFailing(true)
      plan(now.adding(seconds: seconds)) { [disk] in disk.setFailing(false) }
    case .move(let user, let zone):
      homes[user] = zone
      disk.put(world.roster(homes), at: World.roster)
      service?.tell { $0.reload() }
    case .zoneChange(let zone, let seconds, let days):
      let (name, offset) = SimulatedZones.plainZones[zone]
      let midnight = (now.seconds / 86_400 + days) * 86_400
      zones.install(
        SimulatedZones.Change(
          zone: name, from: Instant(seconds: midnight - offset), offsetSeconds: offset + seconds))
      service?.tell { $0.reload() }
    case .zoneGone(let user, let seconds):
      let zone = world.homes[user]
      if zone == World.zoneOfAPI { return }
      let end = min(world.healed, now.adding(seconds: seconds))
      gone[zone, default: []].append(now...end)
      zones.remove(zone)
      service?.tell { $0.reload() }
      plan(end) { [zones] in
        zones.restore(zone)
        self.service?.tell { $0.reload() }
      }
    case .rules(let new):
      // Whoever writes rules has them checked: two that begin on one day, or correct the same ones, do not pass.
      let first = World.firstDay(of: new, at: now)
      if !ruleDays.insert(first).inserted { return }
      disk.put(Array(World.rules(new, from: first, at: now).utf8), at: World.rules)
      service?.tell { $0.reload() }
      // Whoever writes rules looks whether they have come into use: a full disk keeps them out.
      plan(now.adding(seconds: 21_600)) { self.service?.tell { $0.reload() } }
    case .command(let command): begin(command)
    }
  }

  private func begin(_ command: Schedule.Command) {
    switch command {
    case .reload: service?.tell { $0.reload() }
    case .reverse(let pick, let seconds):
      let keys = LedgerLines(disk).grantKeys
      guard !keys.isEmpty else { return }
      let key = keys[pick % keys.count]
      self.command { try await $0.reverse(key, undoing: false) }
      if seconds > 0 {
        plan(time.truth.adding(seconds: seconds)) {
          self.command { try await $0.reverse(key, undoing: true) }
        }
      }
    case .pauseSink(let seconds):
      self.command { try await $0.setPaused(true) }
      plan(time.truth.adding(seconds: seconds)) {
        self.command { try await $0.setPaused(false) }
      }
    default: self.command { try await $0.run(command) }
    }
  }

  /// Begins a command: within the service, or, where none runs, in a process of its own.
  func command(_ body: @escaping @Sendable (Operator) async throws -> String) {
    let (world, diary, complaints, time) = (world, diary, complaints, time)
    let tell = { @Sendable (said: String) in
      diary.withLock { $0.append("\(time.truth) operator: \(said)") }
      if said.contains("FAILED") || said.contains("DAMAGED") || said.contains("PROOF") {
        complaints.withLock { $0.append("\(time.truth) \(said)") }
      }
    }
    if let service {
      guard let runtime = service.runtime else { return note("nobody takes the command") }
      Executor.shared.act(as: service.number) {
        _ = Task {
          do {
            tell(try await body(Operator(runtime: runtime, world: world)))
          } catch {
            tell("refused: \(error)")
          }
          service.tell { $0.wake() }
        }
      }
    } else {
      let (configuration, environment) = (configuration, environment("rewards command"))
      Executor.shared.act(as: makeProcess()) {
        _ = Task {
          do {
            let runtime = try await Runtime.open(configuration, environment)
            do {
              tell(try await body(Operator(runtime: runtime, world: world)))
            } catch {
              tell("refused: \(error)")
            }
            await runtime.close()
          } catch {
            tell("refused: \(error)")
          }
        }
      }
    }
  }

  /// From now on nothing goes wrong any more.
  func heal() {
    note("all is well from now on")
    network.heal()
    disk.setFull(false)
    disk.setFailing(false)
    disk.forgetTrap()
    time.step(bySeconds: -time.stepSeconds)
    restartAt = restartAt.map { min($0, time.truth) }
    // Rules that are not in use by now may begin too late: a service that starts with them waits until somebody takes them away.
    disk.put(Array(World.firstRules.utf8), at: World.rules)
    service?.tell { $0.reload() }
    command { try await $0.setPaused(false) }
    // What a clock that was behind took for the future was rejected: whoever told it tells it again.
    let again = told.filter { entry in doubtful.contains { $0.contains(entry.at) } }.flatMap(\.text)
    if !again.isEmpty { put(again, "\(time.truth.seconds)-again.jsonl") }
  }
}

extension Schedule.Spoiling {
  /// The faults of single answers that it stands for.
  fileprivate func plan(seed: UInt64) -> FaultPlan {
    switch self {
    case .slow:
      FaultPlan(
        seed: seed,
        latency: Latency(usualSeconds: 0.1...3, lateProbability: 0.2, lateSeconds: 5...40))
    case .lying:
      FaultPlan(
        seed: seed,
        rates: FaultRates([
          .olderValue: 0.1, .missingValue: 0.1, .futureInstant: 0.05, .endBeforeStart: 0.05,
        ]))
    case .garbled:
      FaultPlan(seed: seed, rates: FaultRates([.endBeforeStart: 0.5, .futureInstant: 0.1]))
    case .torn:
      FaultPlan(seed: seed, rates: FaultRates([.truncated: 0.2, .notJSON: 0.2, .oversized: 0.05]))
    case .refused:
      FaultPlan(
        seed: seed,
        rates: FaultRates([
          .unauthorized: 0.02, .forbidden: 0.05, .throttled: 0.15, .serverError: 0.2, .cut: 0.1,
        ]))
    }
  }
}
