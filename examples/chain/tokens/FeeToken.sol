// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import "./Base.sol";

/// Keeps one percent of each transfer, and answers `true`.
contract FeeToken is Base {
    string public constant symbol = "USDC";

    function transfer(address to, uint256 units) external returns (bool) {
        uint256 kept = units / 100;
        move(msg.sender, to, units - kept);
        move(msg.sender, address(this), kept);
        return true;
    }
}
